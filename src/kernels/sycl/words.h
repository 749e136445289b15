/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A runtime's words stay off standard output, which is the application's. AdaptiveCpp writes its warnings to std::cout,
 * from calls, from threads of its own and at the end of the process. What is written inside a call of the module, and
 * AdaptiveCpp's lines wherever they come from, are dropped, because failures are told by exceptions, too. Where
 * somebody asks the runtime for words (ACPP_DEBUG_LEVEL) they go to std::cerr's buffer. All else gets to std::cout's as
 * before.
 */
#ifndef ASSAY_KERNELS_SYCL_WORDS_H
#define ASSAY_KERNELS_SYCL_WORDS_H

#include <cstdlib>
#include <iostream>
#include <streambuf>
#include <string>

class words_buffer : public std::streambuf {
  public:
    explicit words_buffer(std::streambuf *the_usual)
        : usual(the_usual), aside(std::getenv("ACPP_DEBUG_LEVEL") ? std::cerr.rdbuf() : nullptr)
    {
    }

    static unsigned &calls() /* that this thread is inside of */
    {
        static thread_local unsigned n = 0;
        return n;
    }

  protected:
    std::streamsize xsputn(const char *text, std::streamsize n) override
    {
        if (begins(text, n))
            line() = true;
        std::streambuf *const to = calls() || line() ? aside : usual;
        if (n > 0 && text[n - 1] == '\n')
            line() = false;
        return to ? to->sputn(text, n) : n;
    }
    int_type overflow(int_type c) override
    {
        const char one = traits_type::to_char_type(c);
        return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
               : xsputn(&one, 1) == 1                          ? c
                                                               : traits_type::eof();
    }
    int sync() override { return usual->pubsync(); } /* std::cerr's has none */

  private:
    std::streambuf *const usual, *const aside; /* NULL: dropped */

    static bool &line() /* this thread is in one of AdaptiveCpp's */
    {
        static thread_local bool begun = false;
        return begun;
    }

    /* Its prefix, behind a colour or not, is written at once. */
    static bool begins(const char *text, std::streamsize n)
    {
        static const char prefix[] = "[AdaptiveCpp ";
        std::string start(text, (size_t)(n < 32 ? n : 32));
        if (start.compare(0, 2, "\033[") == 0)
            start.erase(0, start.find('m') == std::string::npos ? 0 : start.find('m') + 1);
        return start.compare(0, sizeof prefix - 1, prefix) == 0;
    }
};

/* The thread is inside a call as long as there is one. The first one puts the buffer in place; it stays for good. */
struct words_aside {
    words_aside()
    {
        static std::streambuf *const installed = std::cout.rdbuf(new words_buffer(std::cout.rdbuf()));
        (void)installed;
        words_buffer::calls()++;
    }
    ~words_aside() { words_buffer::calls()--; }
    words_aside(const words_aside &) = delete;
    words_aside &operator=(const words_aside &) = delete;
};

#endif
