import { parse } from "content-disposition";
import { cleanName, NAME_MAX } from "../documents/document-name.schema";

/** Cuts between two characters, also where one takes two units. */
function cut(text: string, length: number): string {
  return [...text].slice(0, length).join("");
}

/** A file's own name out of what a client calls it, which may be a path or try to be one; its ending is kept. */
export function cleanFileName(given: string): string {
  const base = cleanName(given.split(/[/\\]/).at(-1) ?? "");
  const name = /^\.*$/.test(base) ? "" : base;
  if (name.length <= NAME_MAX) return name || "Unnamed file";
  const ending = /\.[a-z\d]{1,10}$/i.exec(name)?.[0] ?? "";
  return cut(name.slice(0, name.length - ending.length), NAME_MAX - ending.length) + ending;
}

/** A downloaded file's name, by its Content-Disposition header or else the last part of its address. */
export function downloadName(header: string | null, address: string): string {
  const { filename, "filename*": extended } = parse(header ?? "").parameters;
  if (filename && extended) return cleanFileName(filename);
  const given = filename ?? new URL(address).pathname.split("/").at(-1) ?? "";
  try {
    return cleanFileName(decodeURIComponent(given));
  } catch {
    // A lone percent sign is no encoding.
    return cleanFileName(given);
  }
}

/** Section 9: a text is named by the day it came, in the organisation's time zone. */
export function textTitle(at: number, timeZone: string): string {
  return `Text Document ${new Date(at).toLocaleDateString("en-US", { timeZone })}`;
}

/** Section 9: an address is named by its host and path. */
export function addressTitle(address: string): string {
  const { hostname, pathname } = new URL(address);
  return cut(cleanName(hostname + pathname), NAME_MAX);
}
