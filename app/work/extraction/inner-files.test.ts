import { expect, it } from "vitest";
import { makeZip } from "../../../tests/support/mail-files";
import { takeInnerFiles } from "./inner-files";

it("paths in an archive lead nowhere else, whatever charset they are in", async () => {
  // fflate would mark the name as UTF-8.
  const raw = Buffer.from(
    makeZip({ "../../etc/passwd.txt": "a", "C:\\dir\\b.txt": "b", "Pr__fung.txt": "c" }),
  );
  const dos = Buffer.from(raw.toString("latin1").replaceAll("Pr__fung", "Pr\x81\x81fung"), "latin1");
  const paths: string[] = [];
  for await (const { path } of takeInnerFiles({ bytes: dos, name: "a.zip", contentType: "" }))
    paths.push(path);
  expect(paths).toEqual(["etc/passwd.txt", "dir/b.txt", "Prüüfung.txt"]);
});

it("an encrypted file of an archive is named with the reason", async () => {
  const bytes = Buffer.from(makeZip({ "secret.txt": "a", "open.txt": "b" }));
  for (const [signature, offset] of [
    ["PK\x03\x04", 6],
    ["PK\x01\x02", 8],
  ] as const)
    bytes.writeUInt16LE(1, bytes.indexOf(signature, 0, "latin1") + offset);
  const files: unknown[] = [];
  for await (const { path, problem } of takeInnerFiles({ bytes, name: "a.zip", contentType: "" }))
    files.push([path, problem]);
  expect(files).toEqual([
    ["secret.txt", "it is encrypted"],
    ["open.txt", undefined],
  ]);
});

it("an archive whose file has the name of a stream of old Office files is an archive", async () => {
  const bytes = makeZip({ WordDocument: "a", Workbook: "b" });
  const files: unknown[] = [];
  for await (const { path, problem } of takeInnerFiles({ bytes, name: "a.zip", contentType: "" }))
    files.push([path, problem]);
  expect(files).toEqual([
    ["WordDocument", undefined],
    ["Workbook", undefined],
  ]);
});
