import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PickedFile } from "./add-files";
import { uploadFiles } from "./upload";

const MB = 1_000_000;
function picked(name: string, size: number): PickedFile {
  const file = new File(["x"], name);
  Object.defineProperty(file, "size", { value: size });
  return { path: `folder/${name}`, file };
}

interface Sent {
  batch: FormDataEntryValue | null;
  category: FormDataEntryValue | null;
  names: string[];
}

let sent: Sent[];
/** The server's responses; the last one repeats. */
let answers: { status: number; detail?: string; files?: unknown }[];

class FakeRequest {
  upload = { onprogress: undefined };
  status = 0;
  response: unknown;
  onload = () => {};
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => (this.status < 300 ? "bat_1" : null);
  send(form: FormData) {
    const names = form.getAll("files").map((file) => (file as File).name);
    sent.push({ batch: form.get("batch"), category: form.get("category"), names });
    const answer = answers[sent.length - 1] ?? { status: 202 };
    this.status = answer.status;
    this.response = answer.files ?? answer;
    queueMicrotask(() => this.onload());
  }
}

beforeEach(() => {
  sent = [];
  answers = [];
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
});
afterEach(() => vi.unstubAllGlobals());

const upload = (files: PickedFile[], batch?: string) =>
  uploadFiles({
    fields: [["category", "Service"]],
    files,
    batch,
    onProgress: () => {},
    signal: new AbortController().signal,
  });

describe("an upload", () => {
  it("is split by size, in one batch", async () => {
    const files = Array.from({ length: 9 }, (_, n) => picked(`${n}.pdf`, 45 * MB));
    expect(await upload(files)).toMatchObject({ batch: "bat_1" });
    expect(sent.map(({ names, batch, category }) => [names.length, batch, category])).toEqual([
      [4, null, "Service"],
      [4, "bat_1", "Service"],
      [1, "bat_1", "Service"],
    ]);
  });

  it("is split by number of files", async () => {
    await upload(Array.from({ length: 201 }, (_, n) => picked(`${n}.txt`, 10)));
    expect(sent.map(({ names }) => names.length)).toEqual([100, 100, 1]);
  });

  it("sends a file above the size limit in a request of its own", async () => {
    await upload([picked("a", 10), picked("huge", 300 * MB), picked("b", 10)]);
    expect(sent.map(({ names }) => names)).toEqual([["folder/a"], ["folder/huge"], ["folder/b"]]);
  });

  it("that fails keeps its batch and reports the unsent files", async () => {
    answers = [{ status: 202 }, { status: 503, detail: "The console is restarting." }];
    const files = Array.from({ length: 101 }, (_, n) => picked(`${n}.txt`, 10));
    const outcome = await upload(files);
    const unsent = files.slice(100);
    expect(outcome).toMatchObject({ batch: "bat_1", problem: "The console is restarting.", unsent });
    answers = [];
    expect(await upload(unsent, "bat_1")).toMatchObject({ batch: "bat_1" });
    expect(sent.at(-1)).toEqual({ batch: "bat_1", category: "Service", names: ["folder/100.txt"] });
  });

  it("names the files whose content is in the library", async () => {
    const known = { name: "again.txt", duplicateOf: "first.txt" };
    answers = [{ status: 202, files: [known, { name: "new.txt", duplicateOf: null }] }];
    expect(await upload([picked("again.txt", 1), picked("new.txt", 1)])).toEqual({
      batch: "bat_1",
      known: [known],
    });
  });

  it("that is interrupted immediately has no batch", async () => {
    answers = [{ status: 413, detail: "Too large." }];
    const files = [picked("a", 1)];
    expect(await upload(files)).toMatchObject({ batch: undefined, problem: "Too large.", unsent: files });
  });
});
