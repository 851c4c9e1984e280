import { describe, expect, it } from "vitest";
import { addFiles, filesOfDrop, MOST_DROPPED, type PickedFile, problemOfFile } from "./picked-files";

const picked = (path: string, lastModified = 1): PickedFile => ({
  path,
  file: new File(["words"], path.split("/").at(-1) ?? path, { lastModified }),
});

describe("files to be uploaded", () => {
  it("are each there once", () => {
    const one = picked("folder/a.txt");
    const all = addFiles([one], [picked("folder/a.txt"), picked("other/a.txt"), picked("folder/a.txt", 2)]);
    expect(all.map(({ path }) => path)).toEqual(["folder/a.txt", "other/a.txt", "folder/a.txt"]);
    expect(all[0]).toBe(one);
  });

  it("are at most 2,000 of one drop, and the others are counted", async () => {
    const entryOf = (name: string) => ({
      isFile: true,
      name,
      fullPath: `/folder/${name}`,
      file: (done: (file: File) => void) => done(new File(["x"], name)),
    });
    const names = [".DS_Store", ...Array.from({ length: MOST_DROPPED + 3 }, (_, n) => `${n}.txt`)];
    const folder = {
      isFile: false,
      name: "folder",
      createReader: () => ({
        readEntries: (done: (entries: unknown[]) => void) => done(names.splice(0, 100).map(entryOf)),
      }),
    };
    const transfer = { items: [{ webkitGetAsEntry: () => folder }], files: [] };
    const { files, leftOut } = await filesOfDrop(transfer as unknown as DataTransfer);
    expect([files.length, files[0]?.path, leftOut]).toEqual([2000, "folder/0.txt", 3]);
  });

  it.each([
    [{ type: "image/png", size: 5 }, "No text can be read from this type"],
    [{ type: "application/zip", size: 5 }, "No text can be read from this type"],
    [{ type: "application/x-zip-compressed", size: 5 }, "No text can be read from this type"],
    [{ type: "application/pdf", size: 50_000_001 }, "Larger than 50 MB"],
    [{ type: "text/plain", size: 0 }, "Empty"],
    [{ type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", size: 5 }, undefined],
    [{ type: "", size: 5 }, undefined],
  ])("say what is wrong with %o: %s", (file, problem) => {
    expect(problemOfFile(file)).toBe(problem);
  });
});
