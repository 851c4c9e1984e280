const ROMAN: readonly [number, string][] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function roman(number: number): string | undefined {
  if (number > 3999) return undefined;
  let [text, rest] = ["", number];
  for (const [value, letters] of ROMAN) {
    text += letters.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

/** Word repeats a letter after the last one: x, y, z, aa, bb. */
const MAX_REPEATS = 30;

function repeated(alphabet: string, number: number): string | undefined {
  const letters = [...alphabet];
  const times = Math.ceil(number / letters.length);
  return times > MAX_REPEATS ? undefined : (letters[(number - 1) % letters.length] ?? "").repeat(times);
}

/** Starts again after the last letter. */
function cyclic(alphabet: string, number: number): string | undefined {
  const letters = [...alphabet];
  return letters[(number - 1) % letters.length];
}

/** Only as far as the alphabet goes. */
const listed = (alphabet: string, number: number): string | undefined => [...alphabet][number - 1];

const digits = (figures: string, number: number): string =>
  String(number).replace(/\d/g, (digit) => [...figures][Number(digit)] ?? digit);

/**
 * Numbers of East Asia: figures with the names of ten, a hundred, a thousand.
 * @param says1 whether ten is said as "one ten" as well, as in legal documents
 */
function counted(figures: string, units: string, number: number, says1 = false): string | undefined {
  if (number > 9999) return undefined;
  const [names, tens] = [[...figures], ["", ...units]];
  const places = [...String(number)].map(Number);
  let [text, gap] = ["", false];
  for (const [at, digit] of places.entries()) {
    const unit = tens[places.length - 1 - at] ?? "";
    if (digit === 0) {
      gap = true;
      continue;
    }
    // Chinese says the zero between figures once; Japanese and Korean have none.
    if (gap && text && names[0]) text += names[0].trim();
    gap = false;
    const isPlain = digit === 1 && unit !== "" && !says1 && text === "" && (number < 20 || names[0] === " ");
    text += (isPlain ? "" : (names[digit] ?? "")) + unit;
  }
  return text;
}

function ordinal(number: number): string {
  const rest = number % 100;
  const ending = rest >= 11 && rest <= 13 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "  twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ORDINALS: Readonly<Record<string, string>> = {
  one: "first",
  two: "second",
  three: "third",
  five: "fifth",
  eight: "eighth",
  nine: "ninth",
  twelve: "twelfth",
};

function words(number: number): string | undefined {
  if (number > 99) return undefined;
  if (number < 20) return ONES[number];
  const one = number % 10;
  return (TENS[Math.floor(number / 10)] ?? "") + (one ? `-${ONES[one]}` : "");
}

function ordinalWords(number: number): string | undefined {
  const parts = words(number)?.split("-");
  const last = parts?.pop();
  if (!parts || !last) return undefined;
  return [...parts, ORDINALS[last] ?? `${last.replace(/y$/, "ie")}th`].join("-");
}

const capital = (text: string | undefined) => text && text[0]?.toUpperCase() + text.slice(1);

/** Hebrew letters as figures; 15 and 16 avoid the name of God. */
function hebrew(number: number): string | undefined {
  if (number > 999) return undefined;
  const ones = [..." אבגדהוזחט"];
  const tens = [..." יכלמנסעפצ"];
  const hundreds = ["", "ק", "ר", "ש", "ת", "תק", "תר", "תש", "תת", "תתק"];
  const rest = number % 100;
  const low = rest === 15 ? "טו" : rest === 16 ? "טז" : `${tens[Math.floor(rest / 10)]}${ones[rest % 10]}`;
  return (hundreds[Math.floor(number / 100)] ?? "") + low.replaceAll(" ", "");
}

const KANJI = " 一二三四五六七八九";
const HANZI = "零一二三四五六七八九";
const HANZI_DIGITS = "〇一二三四五六七八九";
const LATIN = "abcdefghijklmnopqrstuvwxyz";
const RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя";
const KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン";
const HALF_KANA = "ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝ";
const IROHA =
  "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン";
const HALF_IROHA = "ｲﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ";
const GANADA = "가나다라마바사아자차카타파하";
const CHOSUNG = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ";
const STEMS = "甲乙丙丁戊己庚辛壬癸";
const BRANCHES = "子丑寅卯辰巳午未申酉戌亥";
const CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳";
const FULL_STOPPED = "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛";
const IN_BRACKETS = "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇";
const THAI = "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ";
const KOREAN_COUNT = ["", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉"];
const KOREAN_TENS = ["", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"];

const kanji = (number: number) => counted(KANJI, "十百千", number);
const hanzi = (number: number) => counted(HANZI, "十百千", number);
const hanziDigits = (number: number) => digits(HANZI_DIGITS, number);
const taiwanLegal = (number: number) => counted("零壹貳參肆伍陸柒捌玖", "拾佰仟", number, true);

/** By the names of ECMA-376, part 1, section 17.18.59. */
const FORMATS: Readonly<Record<string, (number: number) => string | undefined>> = {
  decimalZero: (number) => String(number).padStart(2, "0"),
  upperRoman: roman,
  lowerRoman: (number) => roman(number)?.toLowerCase(),
  upperLetter: (number) => repeated(LATIN.toUpperCase(), number),
  lowerLetter: (number) => repeated(LATIN, number),
  ordinal,
  cardinalText: (number) => capital(words(number)),
  ordinalText: (number) => capital(ordinalWords(number)),
  hex: (number) => number.toString(16).toUpperCase(),
  chicago: (number) => repeated("*†‡§", number),
  numberInDash: (number) => `- ${number} -`,
  decimalFullWidth: (number) => digits("０１２３４５６７８９", number),
  decimalFullWidth2: (number) => digits("０１２３４５６７８９", number),
  decimalEnclosedCircle: (number) => listed(CIRCLED, number),
  decimalEnclosedCircleChinese: (number) => listed(CIRCLED, number),
  decimalEnclosedFullstop: (number) => listed(FULL_STOPPED, number),
  decimalEnclosedParen: (number) => listed(IN_BRACKETS, number),
  japaneseCounting: kanji,
  japaneseDigitalTenThousand: hanziDigits,
  japaneseLegal: (number) => counted(" 壱弐参四伍六七八九", "拾百阡", number, true),
  chineseCounting: hanzi,
  chineseCountingThousand: hanzi,
  chineseLegalSimplified: (number) => counted("零壹贰叁肆伍陆柒捌玖", "拾佰仟", number, true),
  taiwaneseCounting: hanzi,
  taiwaneseCountingThousand: hanzi,
  taiwaneseDigital: hanziDigits,
  ideographDigital: hanziDigits,
  ideographLegalTraditional: taiwanLegal,
  ideographEnclosedCircle: (number) => listed("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉", number),
  ideographTraditional: (number) => cyclic(STEMS, number),
  ideographZodiac: (number) => cyclic(BRANCHES, number),
  ideographZodiacTraditional: (number) => `${cyclic(STEMS, number)}${cyclic(BRANCHES, number)}`,
  aiueo: (number) => cyclic(HALF_KANA, number),
  aiueoFullWidth: (number) => cyclic(KANA, number),
  iroha: (number) => cyclic(HALF_IROHA, number),
  irohaFullWidth: (number) => cyclic(IROHA, number),
  ganada: (number) => cyclic(GANADA, number),
  chosung: (number) => cyclic(CHOSUNG, number),
  koreanDigital: (number) => digits("영일이삼사오육칠팔구", number),
  koreanDigital2: hanziDigits,
  koreanCounting: (number) => counted(" 일이삼사오육칠팔구", "십백천", number),
  koreanLegal: (number) =>
    number > 99 ? undefined : `${KOREAN_TENS[Math.floor(number / 10)]}${KOREAN_COUNT[number % 10]}`,
  russianUpper: (number) => repeated(RUSSIAN.toUpperCase(), number),
  russianLower: (number) => repeated(RUSSIAN, number),
  hebrew1: hebrew,
  hebrew2: (number) => repeated("אבגדהוזחטיכלמנסעפצקרשת", number),
  arabicAlpha: (number) => repeated("أبتثجحخدذرزسشصضطظعغفقكلمنهوي", number),
  arabicAbjad: (number) => repeated("أبجدهوزحطيكلمنسعفصقرشتثخذضظغ", number),
  thaiLetters: (number) => repeated(THAI, number),
  thaiNumbers: (number) => digits("๐๑๒๓๔๕๖๗๘๙", number),
  hindiNumbers: (number) => digits("०१२३४५६७८९", number),
  none: () => "",
};

/** A format by example (`001, 002, 003, ...`), of which only leading zeros differ from plain numbers. */
function customWidth(example: string): number {
  return /^\s*(0{1,9}1)\s*,/.exec(example)?.[1]?.length ?? 1;
}

/**
 * The number of a list's item, a note or a heading as Office shows it, such as `iii`; one beyond a format's range, or of
 * an unknown format, as a decimal.
 * @param format of the `FORMATS`
 * @param example of a custom format
 */
export function listNumber(number: number, format: string, example = ""): string {
  if (format === "custom") return String(number).padStart(customWidth(example), "0");
  const show = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (number < 1 && format !== "decimalZero" && format !== "none") return String(number);
  return show?.(number) ?? String(number);
}
