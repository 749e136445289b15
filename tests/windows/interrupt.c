/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts a program whose standard input is the first bytes of a file, and no end; waits until what it writes has as
 * many lines, and sends Ctrl-C to all of the console:
 *
 *     interrupt FILE BYTES PATTERN LINES PROGRAM ...
 *
 * Returns what the program returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* The event goes to this process, too. */
static BOOL WINAPI stay(DWORD event)
{
    (void)event;
    return TRUE;
}

/* Lines of the first file that fits the pattern. */
static int lines_of(const char *pattern)
{
    WIN32_FIND_DATAA found;
    const HANDLE h = FindFirstFileA(pattern, &found);
    int lines = 0;
    if (h == INVALID_HANDLE_VALUE)
        return 0;
    FindClose(h);
    const HANDLE f = CreateFileA(found.cFileName, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                 NULL, OPEN_EXISTING, 0, NULL);
    char text[4096];
    DWORD n = 0;
    if (f != INVALID_HANDLE_VALUE && ReadFile(f, text, sizeof text, &n, NULL))
        for (DWORD i = 0; i < n; i++)
            lines += text[i] == '\n';
    CloseHandle(f);
    return lines;
}

int main(int argc, char **argv)
{
    char line[4096] = "";
    if (argc < 6)
        return 99;
    for (int i = 5; i < argc; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s\"%s\"", i > 5 ? " " : "", argv[i]);
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    HANDLE from, to;
    STARTUPINFOA start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION child;
    if (!CreatePipe(&from, &to, &inherited, 1 << 20) || !SetHandleInformation(to, HANDLE_FLAG_INHERIT, 0))
        return 98;
    start.hStdInput = from;
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child))
        return 97;
    CloseHandle(from);
    SetConsoleCtrlHandler(stay, TRUE);
    FILE *const file = fopen(argv[1], "rb");
    char *const data = malloc((size_t)atol(argv[2]));
    DWORD put;
    if (!file || !data || fread(data, 1, (size_t)atol(argv[2]), file) != (size_t)atol(argv[2]) ||
        !WriteFile(to, data, (DWORD)atol(argv[2]), &put, NULL) || fclose(file))
        return 96;
    for (int waited = 0; lines_of(argv[3]) < atoi(argv[4]); waited++, Sleep(10))
        if (waited == 60000)
            return 95;
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0))
        return 94;
    DWORD code = 93;
    if (WaitForSingleObject(child.hProcess, 60000) || !GetExitCodeProcess(child.hProcess, &code))
        TerminateProcess(child.hProcess, 92);
    return (int)code;
}
