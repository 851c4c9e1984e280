import { z } from "zod";

/** Of a document's name, in characters. */
export const NAME_MAX = 200;

/** Before it is cleaned, in characters: cleaning a text of any length would hold the event loop. */
export const LONGEST_GIVEN = 4000;

/** Invisible characters within words: removed without a trace. */
const INSIDE_WORDS = /[\u00ad\u2060\ufeff]/g;
/** Control characters, direction marks and the like, halves of characters. Joiners are looked at by themselves. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/gu;
/**
 * Zero-width joiners make one emoji of several, and letters of some scripts join as they should; they do nothing behind
 * any other character but make two names look the same. https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
 */
const JOINERS =
  /([\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}][\u200c\u200d])|[\u200c\u200d]/gu;

/**
 * A name as it may stand in a list: without control characters, direction marks that make one name look like another,
 * and without more than one space in a row.
 */
export function cleanName(text: string): string {
  return text
    .normalize("NFC")
    .replace(INSIDE_WORDS, "")
    .replace(UNSEEN, " ")
    .replace(JOINERS, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

export function nameField(required: string, most = NAME_MAX) {
  const tooLong = `Use at most ${most} characters`;
  return (
    z
      .string({ error: required })
      .max(LONGEST_GIVEN, tooLong)
      .transform(cleanName)
      // A form's field that is empty, or is so once it was cleaned, isn't there at all for this second look.
      .pipe(z.string({ error: required }).min(1, required).max(most, tooLong))
  );
}
