import { expect, it } from "vitest";
import { originalName } from "./original-name";

const version = (fileName: string | null, contentType = "") => ({ fileName, contentType });

it.each([
  ["text", "Minutes", null, "", "Minutes.txt"],
  ["text", "notes.TXT", null, "", "notes.TXT"],
  ["file", "Report", "report.pdf", "application/pdf", "report.pdf"],
  ["url", "example.org/a/b", null, "text/html; charset=utf-8", "example.org-a-b.html"],
  ["url", "example.org/data.json", null, "application/json", "example.org-data.json"],
  ["url", "example.org", null, "application/x-unknown", "example.org"],
  ["file", "x", "../../etc/passwd", "", "etc-passwd"],
  ["file", "x", 'a"b\r\nc<d>.docx', "", "a-b-c-d-.docx"],
  ["file", "x", "..", "", "document"],
] as const)(
  "names the download of a %s named %s (%s, %s) %s",
  (type, name, fileName, contentType, expected) => {
    expect(originalName({ type, name }, version(fileName, contentType))).toBe(expected);
  },
);

it("keeps the extension of a name that is too long", () => {
  const name = originalName({ type: "file", name: "x" }, version(`${"ü".repeat(300)}.xlsx`));
  expect(name).toBe(`${"ü".repeat(120)}.xlsx`);
});
