// How many tokens a text has, without any model's tokenizer: each of them has its own, and all take far longer.

const LETTER = 0.22;
const DIGIT = 0.45;
const MARK = 0.5;
const SPACE = 0.12;
const FOREIGN = 0.45;
const IDEOGRAPH = 1;

function weighAscii(code: number): number {
  if (code <= 32) return SPACE;
  if (code >= 48 && code <= 57) return DIGIT;
  const letter = code | 32;
  return letter >= 97 && letter <= 122 ? LETTER : MARK;
}

const ASCII = Float64Array.from({ length: 128 }, (_, code) => weighAscii(code));

/** Chinese, Japanese and Korean, their punctuation and wide forms, and halves of surrogate pairs. */
function isWide(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xdfff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xffef)
  );
}

/** The tokens of a part of a text, not rounded: parts add up to the whole. */
export function weigh(text: string, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    sum += code < 128 ? (ASCII[code] ?? 0) : isWide(code) ? IDEOGRAPH : FOREIGN;
  }
  return sum;
}

/** An estimate of a text's tokens: about four Latin characters or one Chinese, Japanese or Korean one make a token. */
export function countTokens(text: string): number {
  return Math.ceil(weigh(text, 0, text.length));
}
