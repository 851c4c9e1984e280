/** Shows a cell's value as a text. */
export interface CellFormat {
  isDate: boolean;
  number(value: number): string;
  text(value: string): string;
}

/** Of a format's code; Excel allows 255. */
const MAX_CODE_LENGTH = 255;
/** Of a file; Excel allows 250 of one's own. */
const MAX_FORMATS = 1000;
const SECONDS_PER_DAY = 86_400;
/** Serial number of the day after 31 December 9999. */
const END_OF_DATES = 2_958_466;
/** Days between the first days of the two calendars that workbooks count by. */
export const DAYS_TO_1904 = 1462;

/** The sign of a currency with the language of its names: `[$€-407]`. */
const CURRENCY = /\[\$([^\]-]*)(?:-[^\]]*)?\]/g;
const LITERALS = /"[^"]*"?|\\.|[_*]./g;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const EXPONENT = /E[+-]/i;

/** Excel shows fifteen digits. */
export const plainNumber = (value: number): string => String(Number(value.toPrecision(15)));
const pad = (part: number, length = 2): string => String(part).padStart(length, "0");

/** Adds the sign of a negative number that a format shows by color or in brackets. */
function withMinus(text: string): string {
  if (/[-−–]/.test(text)) return text;
  return text.replace(/\(([^()]*\d[^()]*)\)/, "$1").replace(/\p{Sc}?\s?\d/u, (start) => `-${start.trim()}`);
}

interface DateParts {
  hasDate: boolean;
  hasTime: boolean;
  hasSeconds: boolean;
}

/**
 * Loads the formats of cells. Their texts are what Excel shows, with these exceptions, by which a search finds them:
 * dates are ISO dates, times have 24 hours, and numbers have neither grouped digits nor an exponent.
 */
export async function loadCellFormats(is1904: boolean): Promise<(code: string) => CellFormat> {
  const { addLocale, dateFromSerial, format, getFormatDateInfo, isDateFormat } = await import("numfmt");
  const locale = "en-ZZ";
  addLocale({ group: "", decimal: "." }, locale);

  const show = (code: string, value: number | string): string =>
    format(code, value, { locale, throws: false, invalid: "" });

  function partsOf(code: string): DateParts | undefined {
    const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(code);
    const hasTime = hours || minutes || seconds;
    // In `mm:ss`, numfmt takes minutes for months.
    const hasDate = year || day || (month && !hasTime);
    return hasDate || hours ? { hasDate, hasTime, hasSeconds: seconds } : undefined;
  }

  function showDate(serial: number, { hasDate, hasTime, hasSeconds }: DateParts): string {
    // A time such as 00:15 is stored as a fraction of a day, which is a little more or less.
    const total = Math.round(serial * SECONDS_PER_DAY);
    const days = Math.floor(total / SECONDS_PER_DAY) + (is1904 ? DAYS_TO_1904 : 0);
    const seconds = total - Math.floor(total / SECONDS_PER_DAY) * SECONDS_PER_DAY;
    const isDate = hasDate && days > 0;
    if (!isDate && !hasTime) return plainNumber(serial);
    const [year = 0, month = 0, day = 0] = isDate ? dateFromSerial(days) : [];
    const time = [seconds / 3600, (seconds / 60) % 60, ...(hasSeconds ? [seconds % 60] : [])];
    return [
      ...(isDate ? [`${pad(year, 4)}-${pad(month)}-${pad(day)}`] : []),
      ...(hasTime ? [time.map((part) => pad(Math.floor(part))).join(":")] : []),
    ].join(" ");
  }

  function showNumber(code: string, value: number): string {
    const text = show(code, value).trim();
    // What a format hides is read; an empty text for zero stands for nothing.
    if (text === "" && value !== 0) return plainNumber(value);
    return value < 0 ? withMinus(text) : text;
  }

  function numbersOf(code: string): CellFormat["number"] {
    const bare = code.replace(LITERALS, "");
    if (/^general$/i.test(bare) || (EXPONENT.test(bare) && !isDateFormat(code))) return plainNumber;
    const parts = isDateFormat(code) && !ELAPSED.test(bare) ? partsOf(code) : undefined;
    if (!parts) return (value) => showNumber(code, value);
    return (value) => (value >= 0 && value < END_OF_DATES ? showDate(value, parts) : plainNumber(value));
  }

  const makeFormat = (code: string): CellFormat => {
    const plain = code.replace(CURRENCY, (_, sign: string) => (sign ? `"${sign.replaceAll('"', "")}"` : ""));
    const isUsable = plain.length <= MAX_CODE_LENGTH && plain.trim() !== "";
    const textSection = plain.split(";").find((section) => section.replace(LITERALS, "").includes("@"));
    const hasLiteral = isUsable && textSection !== undefined && /["\\]/.test(textSection);
    return {
      isDate: isUsable && isDateFormat(plain),
      number: isUsable ? numbersOf(plain) : plainNumber,
      text: hasLiteral ? (value) => show(plain, value) : (value) => value,
    };
  };

  const formats = new Map<string, CellFormat>();
  return (code) => {
    const key = formats.has(code) || formats.size < MAX_FORMATS ? code : "General";
    const format = formats.get(key) ?? makeFormat(key);
    formats.set(key, format);
    return format;
  };
}

/** The code of a format that Excel has built in. */
export async function loadBuiltInCodes(): Promise<(id: number) => string> {
  const { getFormatFromId } = await import("numfmt");
  return (id) => getFormatFromId(id) || "General";
}
