import { describe, expect, it } from "vitest";
import { addFiles, type PickedFile, problemOfFile } from "./picked-files";

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
