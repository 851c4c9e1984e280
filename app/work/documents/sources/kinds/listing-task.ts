import { StringDecoder } from "node:string_decoder";
import { SaxesParser } from "saxes";
import { z } from "zod";
import { AppError } from "~/core/errors";

/** Of one response, in bytes: a WebDAV server lists a whole folder at once. */
export const MAX_LISTING_BYTES = 30_000_000;
const MAX_DEPTH = 20;
/** Of a value, in characters. */
const MAX_TEXT = 4000;
const CHUNK_BYTES = 65_536;

export const ListingTask = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  host: z.string(),
  /** Element of the whole document, of an item in it, and of what is kept of both, without prefixes. */
  root: z.string(),
  item: z.string(),
  fields: z.array(z.string()),
  /** Items; more are left out. */
  limit: z.number().int(),
});
export type ListingTask = z.infer<typeof ListingTask>;

const Fields = z.record(z.string(), z.string());

export const ParsedListing = z.object({ about: Fields, items: z.array(Fields), isComplete: z.boolean() });
export type ParsedListing = z.infer<typeof ParsedListing>;

/**
 * Parses the XML of a listing: of S3's ListObjectsV2 or WebDAV's PROPFIND. Entities that it declares aren't expanded.
 * @throws AppError `unprocessable` for another document
 */
export function parseListing({ bytes, host, root, item, fields, limit }: ListingTask): ParsedListing {
  const parser = new SaxesParser();
  const about: Record<string, string> = {};
  const items: Record<string, string>[] = [];
  const kept = new Set(fields);
  const path: string[] = [];
  let current: Record<string, string> | undefined;
  let isComplete = true;
  let text = "";
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const refuse = (what: string, cause?: unknown) =>
    new AppError("unprocessable", `The response from ${host} ${what}. Check the address.`, { cause });
  parser.on("error", (cause) => {
    throw refuse("is not well-formed XML", cause);
  });
  parser.on("opentag", ({ name }) => {
    if (path.length >= MAX_DEPTH) throw refuse("is nested too deeply");
    path.push(local(name));
    text = "";
    if (path.length === 1 && path[0] !== root) throw refuse("is not a list of files");
    if (path.length === 2 && path[1] === item) current = {};
  });
  const add = (piece: string) => {
    if (text.length <= MAX_TEXT) text += piece.slice(0, MAX_TEXT + 1);
  };
  parser.on("text", add);
  parser.on("cdata", add);
  parser.on("closetag", () => {
    const name = path.at(-1) ?? "";
    const into = current ?? (path.length === 2 ? about : undefined);
    // A property that the server doesn't have is empty, beside its status.
    if (into && kept.has(name) && text.length <= MAX_TEXT && !into[name]) into[name] = text.trim();
    if (path.length === 2 && current) {
      if (items.length < limit) items.push(current);
      else isComplete = false;
      current = undefined;
    }
    path.pop();
    text = "";
  });
  const decoder = new StringDecoder("utf8");
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    parser.write(decoder.write(Buffer.from(bytes.subarray(at, at + CHUNK_BYTES))));
  parser.close();
  return { about, items, isComplete };
}
