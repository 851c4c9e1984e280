import { AppError } from "~/core/errors";
import type { Parts } from "./zip";

/** About 600 MB as a tree; a text of maximum length needs half as many. */
const MAX_ELEMENTS = 400_000;
const [OPEN, SLASH] = [0x3c, 0x2f];

/**
 * Limits the elements of all parts before a library builds trees.
 * @throws AppError `invalid` if there are too many
 */
export function boundElements(parts: Parts): void {
  let count = 0;
  for (const bytes of parts.values()) {
    for (let at = bytes.indexOf(OPEN); at >= 0; at = bytes.indexOf(OPEN, at + 1)) {
      if (bytes[at + 1] !== SLASH) count += 1;
      if (count <= MAX_ELEMENTS) continue;
      throw new AppError(
        "invalid",
        `The file has more than ${MAX_ELEMENTS.toLocaleString("en")} elements, which is too many. Split it into smaller files.`,
      );
    }
  }
}
