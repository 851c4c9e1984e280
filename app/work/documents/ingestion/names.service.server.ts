import { parse } from "content-disposition";
import { cleanName, NAME_MAX } from "~/platform/catalogue/names";

function cut(text: string, length: number): string {
  return [...text].slice(0, length).join("");
}

/** A safe file name from a client's path; keeps the extension. */
export function cleanFileName(fileName: string): string {
  const base = cleanName(fileName.split(/[/\\]/).at(-1) ?? "");
  const name = /^\.*$/.test(base) ? "" : base;
  if (name.length <= NAME_MAX) return name || "Unnamed file";
  const ending = /\.[a-z\d]{1,10}$/i.exec(name)?.[0] ?? "";
  return cut(name.slice(0, name.length - ending.length), NAME_MAX - ending.length) + ending;
}

export function downloadName(header: string | null, address: string): string {
  const { filename, "filename*": extended } = parse(header ?? "").parameters;
  if (filename && extended) return cleanFileName(filename);
  const fileName = filename ?? new URL(address).pathname.split("/").at(-1) ?? "";
  try {
    return cleanFileName(decodeURIComponent(fileName));
  } catch {
    // Invalid percent encoding.
    return cleanFileName(fileName);
  }
}

/** The default name of a text: the day in the organization's time zone. */
export function textTitle(at: number, timeZone: string): string {
  return `Text Document ${new Date(at).toLocaleDateString("en-US", { timeZone })}`;
}

export function addressTitle(address: string): string {
  const { hostname, pathname } = new URL(address);
  return cut(cleanName(hostname + pathname), NAME_MAX);
}
