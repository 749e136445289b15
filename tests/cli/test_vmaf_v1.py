# SPDX-License-Identifier: BSD-2-Clause
"""The models of version 1: which one `v1` is, what they share with others, what they refuse, and that parts of a video,
several devices and threads give the scores of one run."""
import itertools
import json

from command import DIS, MISMATCH, REF, USAGE, Case, main, y4m

STANDARD = ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_1d5h_2160", "vmaf_v1.0.16_3d0h_2160"]
HFR = [name.replace("v1.0.16", "v1.0.16_hfr") for name in STANDARD]
FORMS = ("json", "xml", "csv", "sub")


def grey(width, height, chroma="420", rate="25:1", frames=1, depth=""):
    """Y4M of flat pictures, for sizes that take long to fill."""
    plane = {"420": 3 * ((width + 1) // 2) * ((height + 1) // 2), "mono": 0}
    samples = width * height + (2 * plane["420"] // 3 if chroma == "420" else 0)
    head = f"YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 C{chroma}{depth}\n".encode()
    return head + (b"FRAME\n" + bytes([90]) * samples) * frames


class Version1(Case):
    def frames(self, *args):
        report = json.loads(self.passes("-q", "--precision", "max", "--reproducible", "--json", "-", *args).out)
        self.configuration = report["assay"]["configuration"]
        return [frame["metrics"] for frame in report["frames"]]

    def passes_of(self, metrics):
        """How many passes each kernel has."""
        names = [line.split()[2].split(".")[0] for line in
                 self.passes("-q", "-m", metrics, "--dump-graph", REF, DIS).out.splitlines() if line[:5] == "pass "]
        return {name: names.count(name) for name in names}

    def chosen(self, model, width, height, rate):
        name = self.write("g.y4m", grey(width, height, rate=rate))
        done = self.passes("-m", f"vmaf=model={model}", "--dump-graph", "--json", "o.json", "--force", name, name)
        text = json.loads(self.read("o.json"))["assay"]["configuration"]
        version = text.split(":")[0].removeprefix("vmaf=model=")
        self.assertIn(f"vmaf: the model is {version}, by the size {width}x{height}", done.err)
        return version, done.err

    def test_v1_is_the_model_for_the_size(self):
        """Up to 1440 lines that for 1080p, above it that for 2160p. Height is that of the 16:9 around the picture."""
        for (width, height), tail in (((1920, 1080), "3d0h"), ((1080, 1920), "3d0h"), ((2560, 1440), "3d0h"),
                                      ((2592, 1442), "1d5h_2160"), ((3840, 1600), "1d5h_2160"),
                                      ((2160, 3840), "1d5h_2160"), ((240, 230), "3d0h")):
            self.assertEqual(self.chosen("v1", width, height, "25:1")[0], "vmaf_v1.0.16_" + tail)
        self.assertEqual(self.chosen("v1_hfr", 2560, 1600, "25:1")[0], "vmaf_v1.0.16_hfr_1d5h_2160")

    def test_v1_is_the_model_for_the_rate(self):
        for rate, hfr in (("30:1", ""), ("39999:1000", ""), ("40:1", "hfr_"), ("60000:1001", "hfr_")):
            version, said = self.chosen("v1", 240, 230, rate)
            self.assertEqual(version, f"vmaf_v1.0.16_{hfr}3d0h")
            self.assertIn("and the rate of", said)
        self.write("r.yuv", bytes(240 * 230 * 3 // 2))
        raw = ("-w", 240, "-h", 230, "-p", "yuv420p", "-m", "vmaf=model=v1", "r.yuv", "r.yuv")
        said = self.passes(*raw).err
        self.assertIn("the model is vmaf_v1.0.16_3d0h, by the size 240x230; the frame rate is unknown", said)
        self.assertIn("model=v1_hfr", said)
        self.assertNotIn("vmaf", self.passes("-q", *raw).err)

    def test_the_chosen_one_is_that_model(self):
        own = self.frames("-m", "vmaf=model=v1,vmaf=model=v1_hfr", REF, DIS)
        self.assertRegex(self.configuration, r"^vmaf=model=vmaf_v1\.0\.16_3d0h:.*,vmaf=model=vmaf_v1\.0\.16_hfr_3d0h:")
        self.assertEqual(own, self.frames("-m", f"vmaf=model={STANDARD[0]},vmaf=model={HFR[0]}", REF, DIS))
        self.assertEqual([f["vmaf"] for f in self.frames("-m", "vmaf=model=v1", REF, DIS)],
                         [f[STANDARD[0]] for f in own])
        self.refuses(USAGE, "would both write", "-m", f"vmaf=model=v1,vmaf=model={STANDARD[0]}", REF, DIS)
        self.refuses(USAGE, "by its version or by its path", "-m", "vmaf=model=v1:path=a.json", REF, DIS)
        self.refuses(USAGE, "no built-in model is called 'v2'", "-m", "vmaf=model=v2", REF, DIS)

    def test_the_size_that_a_model_is_for(self):
        for model, says in ((STANDARD[0], "model=vmaf_v1.0.16_1d5h_2160 is for 2160p"),
                            (HFR[0], "model=vmaf_v1.0.16_hfr_1d5h_2160 is for 2160p"),
                            (STANDARD[1], "scale both sides"), ("vmaf_v0.6.1neg", "model=vmaf_4k_v0.6.1neg is for")):
            name = self.write("large.y4m", grey(3840, 2160))
            said = self.passes("-m", f"vmaf=model={model}", "--dump-graph", name, name).err
            self.assertIn(f"{model} is for 1080p, and this is 3840x2160: {says}", said)
        name = self.write("small.y4m", grey(1920, 1080))
        for model in STANDARD[2:]:
            said = self.passes("-m", f"vmaf=model={model}", "--dump-graph", name, name).err
            self.assertIn(f"{model} is for 2160p, and this is 1920x1080: model=vmaf_v1.0.16_3d0h is for 1080p", said)

    def test_equal_passes_run_once(self):
        """Models of version 0.6 and 1 share the wavelets of ADM and motion; models of version 1 share all that their
        options leave equal."""
        old, new = self.passes_of("vmaf"), self.passes_of("vmaf=model=v1")
        both = self.passes_of("vmaf,vmaf=model=v1")
        shared = {name for name in old if name in new and both[name] == old[name] == new[name]}
        self.assertEqual(shared, {"adm_int_dwt_0_u8", "adm_int_dwt_1_u32", "adm_int_dwt_2_i32", "motion_u8"})
        for name in set(old) | set(new):
            at_most = old.get(name, 0) + new.get(name, 0)
            self.assertEqual(both[name], new[name] if name in shared else at_most, name)
        hfr = self.passes_of("vmaf=model=v1,vmaf=model=v1_hfr")
        self.assertEqual({**new, "motion_u8": 2}, hfr)  # another distance in time
        self.assertEqual(new, self.passes_of(f"vmaf=model=v1,vmaf=model={STANDARD[2]}"))  # the same curve of contrast
        alone = self.frames("-m", "vmaf=model=v1", REF, DIS), self.frames("-m", "vmaf", REF, DIS)
        for ours, new_one, old_one in zip(self.frames("-m", "vmaf=model=v1,vmaf:name=old".replace("vmaf:", "vmaf="),
                                                      REF, DIS), *alone):
            self.assertEqual(ours, {**new_one, **old_one, "vmaf": new_one["vmaf"], "old": old_one["vmaf"]})

    def test_options_of_features(self):
        frame = self.frames("-m", "vmaf=model=v1:cambi.enc_width=300:cambi.enc_height=180:speed_chroma.mxv=0.5", REF,
                            DIS)[0]
        self.assertIn("cambi_hrs_1080_cmxv_17_vlt_0.06_ench_180_encw_300", frame)
        self.assertIn("speed_chroma_uv_mxv_0.5_nnf_0.1_snn_0.19_wvm_5", frame)
        self.refuses(USAGE, "reads nothing of 'vif'", "-m", "vmaf=model=v1:vif.debug=true", REF, DIS)

    def test_what_is_refused(self):
        """By what the features themselves refuse."""
        for name, data, model, says in (
                ("mono", grey(240, 240, "mono"), "v1", "needs YUV with chroma"),
                ("low", grey(320, 158), "v1", "needs at least 160x160, this is 320x158"),
                ("phone", grey(264, 264), STANDARD[1], "needs at least 266x266"),
                ("far", grey(316, 316), STANDARD[3], "needs at least 318x318"),
                ("tiny", grey(200, 200), "v1", "cambi needs at least 216 columns or 216 rows")):
            self.write(name, data)
            self.refuses(USAGE, ["vmaf: ", says], "-m", f"vmaf=model={model}", name, name)
        for name, data, model in (("low", grey(320, 160), "v1"), ("phone", grey(266, 266), STANDARD[1]),
                                  ("far", grey(318, 318), STANDARD[3])):
            self.write(name, data)
            self.passes("-q", "-m", f"vmaf=model={model}", name, name)
        self.write("a.y4m", y4m(240, 230, 1, tags="XCOLORRANGE=FULL"))
        self.write("b.y4m", y4m(240, 230, 1, tags="XCOLORRANGE=LIMITED"))
        self.refuses(MISMATCH, "range", "-m", "vmaf=model=v1", "a.y4m", "b.y4m")

    def test_identical_and_flat_pictures(self):
        frame = self.frames("-m", "vmaf=model=v1", REF, REF)[-1]
        self.assertGreater(frame["vmaf"], 95)
        name = self.write("flat.y4m", grey(320, 240, frames=3))
        self.assertTrue(all(0 < f["vmaf"] <= 100 for f in self.frames("-m", "vmaf=model=v1", name, name)))

    def test_parts_devices_and_threads(self):
        """The wide window of the models for high rates looks four frames back and two ahead."""
        pair = self.write("ref.y4m", y4m(232, 164, 11)), self.write("dis.y4m", y4m(232, 164, 11, noise=40))
        run = ["-q", "-m", "vmaf=model=v1,vmaf=model=v1_hfr,vmaf=model=vmaf_v0.6.1:name=old", "--precision", "max",
               "--reproducible"]

        def outputs(name):
            return list(itertools.chain(*((f"--{form}", f"{name}.{form}") for form in FORMS)))
        for every in ([], ["--every", "3"]):
            self.passes(*run, *every, *outputs("whole"), *pair)
            whole = [self.read(f"whole.{form}") for form in FORMS]
            scores = json.loads(whole[0])["frames"]
            self.assertGreater(len({frame["metrics"][HFR[0]] for frame in scores}), 1)
            for cuts in ([4, 7], [3, 1, 2, 5], [1] * 11):
                firsts = [sum(cuts[:i]) for i in range(len(cuts))]
                for i, (first, count) in enumerate(zip(firsts, cuts)):
                    self.passes(*run, *every, "--first", first, "--frames", count, "--shard", f"{i}.part", *pair)
                self.passes("merge", "--reproducible", "--precision", "max", *outputs("merged"),
                            *(f"{i}.part" for i in range(len(cuts))))
                self.assertEqual([self.read(f"merged.{form}") for form in FORMS], whole, (every, cuts))
            for how in (["--device", "0,0,0"], ["--threads", "1"], ["--threads", "3", "--in-flight", "5"],
                        ["--cpu", "scalar"], ["--strip", "16"]):
                self.passes(*run, *every, *how, "--json", "other.json", "--force", *pair)
                self.assertEqual(json.loads(self.read("other.json"))["frames"], scores, how)


if __name__ == "__main__":
    main()
