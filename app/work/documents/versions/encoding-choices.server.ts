import { decodeAs } from "~/core/charset";
import { ENCODINGS, isGuessedOrChosen } from "~/work/extraction/encodings.shared";
import type { DocumentDetail } from "../documents.schema";
import type { EncodingChoice } from "../screens/document-screen.schema";
import { storedPieces } from "./document-parts.service.server";

/** Pieces of 256 KB that are looked through for other letters than English ones. */
const SEARCHED_PIECES = 8;
/** Around the first of them (bytes). */
const LEAD = 40;
const EXAMPLE_BYTES = 160;

function findExample(versionId: string): Uint8Array {
  let searched = 0;
  for (const piece of storedPieces(versionId)) {
    const first = piece.findIndex((byte) => byte > 0x7f);
    if (first >= 0) {
      const lineStart = piece.lastIndexOf(0x0a, first) + 1;
      return piece.subarray(Math.max(lineStart, first - LEAD), first + EXAMPLE_BYTES);
    }
    searched += 1;
    if (searched === SEARCHED_PIECES) break;
  }
  return new Uint8Array();
}

/** The encodings of a document's text, its own first; those in which the example is broken are left out. */
export function listEncodings({ version }: DocumentDetail): EncodingChoice[] {
  if (!version?.sha256 || !isGuessedOrChosen(version.facts)) return [];
  const bytes = findExample(version.id);
  const isCurrent = (label: string) => label === version.facts.encoding;
  const choices = ENCODINGS.map(({ label, name }) => ({
    label,
    name,
    // The last character may be cut.
    example: decodeAs(bytes, label)
      .replace(/[\ufffd\s]+$/, "")
      .replace(/\s+/g, " "),
  }));
  return [
    ...choices.filter(({ label }) => isCurrent(label)),
    ...choices.filter(({ label, example }) => !isCurrent(label) && !/[\ufffd\p{Cc}]/u.test(example)),
  ];
}
