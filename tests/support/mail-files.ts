import { burn, type Entry } from "@kenjiuno/msgreader/lib/Burner.js";
import { zipSync } from "fflate";

/** An email of header lines and a body, or of parts. */
export function makeEml(headers: Record<string, string>, body: string): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

interface Part {
  type: string;
  name?: string;
  body: string | Uint8Array;
}

const MIXED = "=_mixed";

/** A multipart email; parts with a name are attachments in base64. */
export function makeMixedEml(headers: Record<string, string>, parts: readonly Part[]): Uint8Array {
  const bodies = parts.map(({ type, name, body }) => {
    const bytes = Buffer.from(body);
    if (name === undefined) return `Content-Type: ${type}; charset=utf-8\r\n\r\n${bytes}`;
    const disposition = `Content-Disposition: attachment; filename="${name}"`;
    const encoded = bytes.toString("base64").replace(/.{76}/g, "$&\r\n");
    return `Content-Type: ${type}\r\n${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}`;
  });
  const body = `${bodies.map((one) => `--${MIXED}\r\n${one}\r\n`).join("")}--${MIXED}--\r\n`;
  const type = { "MIME-Version": "1.0", "Content-Type": `multipart/mixed; boundary="${MIXED}"` };
  return makeEml({ ...headers, ...type }, body);
}

type Properties = Record<string, string | Uint8Array>;

interface MsgParts {
  /** By tag and type in hex, such as `0037001F`; strings are UTF-16. */
  properties: Properties;
  /** Properties of at most eight bytes, by their tag and type. */
  fixed?: readonly (readonly [tag: number, value: bigint])[];
  recipients?: readonly Properties[];
  attachments?: readonly Properties[];
  /** Attached messages, by name. */
  messages?: Readonly<Record<string, Properties>>;
}

/** An Outlook message ([MS-OXMSG]): a container with a stream per property. */
export function makeMsg({
  properties,
  fixed = [],
  recipients = [],
  attachments = [],
  messages = {},
}: MsgParts): Uint8Array {
  const entries: Entry[] = [];
  const add = (entry: Omit<Entry, "length"> & { bytes?: Uint8Array }, parent?: Entry): Entry => {
    // A copy: the library writes the whole buffer that a view belongs to.
    const bytes = Uint8Array.from(entry.bytes ?? []);
    const { bytes: _, ...rest } = entry;
    const added = { ...rest, length: bytes.length, binaryProvider: () => bytes };
    parent?.children?.push(entries.length);
    entries.push(added);
    return added;
  };
  const [DIRECTORY, DOCUMENT, ROOT] = [1, 2, 5];
  const fill = (folder: Entry, values: Properties, head: Uint8Array) => {
    for (const [tag, value] of Object.entries(values)) {
      const bytes = typeof value === "string" ? Buffer.from(value, "utf16le") : value;
      add({ name: `__substg1.0_${tag}`, type: DOCUMENT, bytes }, folder);
    }
    add({ name: "__properties_version1.0", type: DOCUMENT, bytes: head }, folder);
  };
  const root = add({ name: "Root Entry", type: ROOT, children: [] });
  const fixedValues = fixed.map(([tag, value]) => {
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(tag, 0);
    entry.writeBigUInt64LE(value, 8);
    return entry;
  });
  fill(root, properties, Buffer.concat([Buffer.alloc(32), ...fixedValues]));
  const folders = [
    ...recipients.map((values) => ["__recip_version1.0_#", values] as const),
    ...attachments.map((values) => ["__attach_version1.0_#", values] as const),
  ];
  for (const [index, [prefix, values]] of folders.entries()) {
    const name = prefix + index.toString(16).padStart(8, "0").toUpperCase();
    fill(add({ name, type: DIRECTORY, children: [] }, root), values, Buffer.alloc(8));
  }
  for (const [index, [name, values]] of Object.entries(messages).entries()) {
    const folder = { name: `__attach_version1.0_#1${index.toString(16).padStart(7, "0")}`, type: DIRECTORY };
    const attachment = add({ ...folder, children: [] }, root);
    fill(attachment, { "3001001F": name }, Buffer.alloc(8));
    fill(
      add({ name: "__substg1.0_3701000D", type: DIRECTORY, children: [] }, attachment),
      values,
      Buffer.alloc(24),
    );
  }
  return burn(entries);
}

export const makeZip = (files: Record<string, string | Uint8Array>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)])));
