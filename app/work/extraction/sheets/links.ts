import { posix } from "node:path";
import { type Parts, readXml } from "../office";

const MAX_ADDRESS_LENGTH = 500;

/** The address of a page or a mailbox as people write it; empty for places within the workbook and files. */
export function addressOf(target: string): string {
  const [, mailbox] = /^mailto:([^?]+)/i.exec(target) ?? [];
  const address = mailbox ?? (/^https?:\/\//i.test(target) ? target : "");
  return address.length <= MAX_ADDRESS_LENGTH ? address : "";
}

/** Reads the addresses that a part links to, by the ids of its relationships. */
export function readAddresses(parts: Parts, part: string): Map<string, string> {
  const bytes = parts.get(posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`));
  const addresses = new Map<string, string>();
  if (!bytes) return addresses;
  readXml(bytes, {
    open(name, { Id = "", Target = "", TargetMode }) {
      if (name === "Relationship" && TargetMode === "External") addresses.set(Id, addressOf(Target));
    },
  });
  return addresses;
}
