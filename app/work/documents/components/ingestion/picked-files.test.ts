import { describe, expect, it } from "vitest";
import { addFiles, type PickedFile } from "./add-files";
import { type Drop, filesOfDrop, MAX_DROPPED_FILES } from "./dropped-files";
import { namesOf, partitionFiles, problemOfFile } from "./picked-files";

const picked = (path: string, lastModified = 1): PickedFile => ({
  path,
  file: new File(["words"], path.split("/").at(-1) ?? path, { lastModified }),
});

describe("files to be uploaded", () => {
  it("contain each file once", () => {
    const one = picked("folder/a.txt");
    const all = addFiles([one], [picked("folder/a.txt"), picked("other/a.txt"), picked("folder/a.txt", 2)]);
    expect(all.map(({ path }) => path)).toEqual(["folder/a.txt", "other/a.txt", "folder/a.txt"]);
    expect(all[0]).toBe(one);
  });

  it("are limited to 2,000 per drop, and the next one reports it", async () => {
    const entryOf = (name: string) => ({
      isFile: true,
      name,
      fullPath: `/folder/${name}`,
      file: (done: (file: File) => void) => done(new File(["x"], name)),
    });
    const names = [".DS_Store", ...Array.from({ length: MAX_DROPPED_FILES + 3 }, (_, n) => `${n}.txt`)];
    const folder = {
      isFile: false,
      name: "folder",
      fullPath: "/folder",
      createReader: () => ({
        readEntries: (done: (entries: unknown[]) => void) => done(names.splice(0, 100).map(entryOf)),
      }),
    };
    const drop = { entries: [folder], files: [] };
    const files = await filesOfDrop(drop as unknown as Drop);
    expect([files.length, files[0]?.path]).toEqual([MAX_DROPPED_FILES + 1, "folder/0.txt"]);
    expect(files.filter(({ problem }) => problem)).toEqual([files.at(-1)]);
    expect(files.at(-1)?.problem).toContain("2,000 files at most");
  });

  it("of a folder are added even if one of them, or a subfolder, can't be read", async () => {
    const fail = (_: unknown, failed: () => void) => failed();
    const file = (name: string, read: unknown) => ({
      isFile: true,
      name,
      fullPath: `/f/${name}`,
      file: read,
    });
    const entries = [
      [
        file("a.txt", (done: (file: File) => void) => done(new File(["x"], "a.txt"))),
        file("locked.txt", fail),
        { isFile: false, name: "sub", fullPath: "/f/sub", createReader: () => ({ readEntries: fail }) },
        file("b.txt", (done: (file: File) => void) => done(new File(["x"], "b.txt"))),
      ],
      [],
    ];
    const folder = {
      isFile: false,
      name: "f",
      fullPath: "/f",
      createReader: () => ({
        readEntries: (done: (entries: unknown[]) => void) => done(entries.shift() ?? []),
      }),
    };
    const drop = { entries: [folder], files: [] };
    const { usable, skipped } = partitionFiles(await filesOfDrop(drop as unknown as Drop));
    expect(usable.map(({ path }) => path)).toEqual(["f/a.txt", "f/b.txt"]);
    expect(skipped).toMatchObject([
      { path: "f/locked.txt", problem: expect.stringContaining("Couldn't be read") },
      { path: "f/sub", problem: expect.stringContaining("Couldn't be read") },
    ]);
  });

  it("are kept; skipped ones are listed with their reason", () => {
    const empty = { path: "empty.txt", file: new File([], "empty.txt") };
    const image = { path: "a/photo.png", file: new File(["x"], "photo.png", { type: "image/png" }) };
    const { usable, skipped } = partitionFiles([empty, picked("a.txt"), image]);
    expect(usable.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(namesOf(skipped)).toBe(
      "empty.txt (empty), a/photo.png (file type not supported: text in images isn't recognized)",
    );
    expect(namesOf(Array.from({ length: 7 }, (_, n) => ({ path: `${n}` })))).toBe("0, 1, 2, 3, 4, 2 others");
  });

  it.each([
    [{ name: "Old.PAGES", type: "", size: 5 }, "File type not supported: save it as .docx or PDF"],
    [{ name: "a.xlsb", type: "", size: 5 }, "File type not supported: save it as .xlsx or CSV"],
    [{ name: "a.bin", type: "application/octet-stream", size: 5 }, "File type not supported"],
    [{ name: "photo", type: "image/png", size: 5 }, "File type not supported"],
    [{ name: "a", type: "application/x-zip-compressed", size: 5 }, "File type not supported"],
    [{ name: "a.pdf", type: "application/pdf", size: 50_000_001 }, "Larger than 50 MB"],
    [{ name: "a.txt", type: "text/plain", size: 0 }, "Empty"],
    [{ name: "a.ts", type: "video/mp2t", size: 5 }, undefined],
    [{ name: "a.docx", type: "", size: 5 }, undefined],
    [{ name: "a.unknown", type: "", size: 5 }, undefined],
  ])("say what is wrong with %o: %s", (file, problem) => {
    expect(problemOfFile(file)).toBe(problem);
  });
});
