import { describe, expect, it } from "vitest";
import { countTokens, weigh } from "./count-tokens";

/** Token counts by o200k_base (gpt-tokenizer 4.0.0, at 30 MB too large for a dependency). */
const SAMPLES: [kind: string, tokens: number, text: string][] = [
  [
    "English",
    55,
    "Everyone has twenty-eight days of holidays a year. Holidays are asked for two weeks ahead; whoever falls ill on holiday gets the days back against a doctor's note. Travel costs are reimbursed within ten days, and the receipts of hotels and trains are to be kept until then.",
  ],
  [
    "German",
    67,
    "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Die Reisekostenabrechnung wird innerhalb von zehn Arbeitstagen geprüft; Übernachtungsbelege müssen bis dahin aufbewahrt werden.",
  ],
  [
    "French",
    41,
    "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
  ],
  [
    "Polish",
    53,
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
  ],
  [
    "Russian",
    41,
    "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
  ],
  [
    "Greek",
    71,
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
  ],
  [
    "Arabic",
    44,
    "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء.",
  ],
  [
    "Hindi",
    54,
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
  ],
  [
    "Chinese",
    63,
    "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。员工每年有二十八天假期，须提前两周申请；出差费用在十天内报销。",
  ],
  [
    "Japanese",
    72,
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
  ],
  [
    "Korean",
    51,
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
  ],
  [
    "TypeScript",
    89,
    `export async function readLines(path: string, { limit = 100 }: { limit?: number } = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
    if (lines.length >= limit) break;
    lines.push(line.trimEnd());
  }
  return lines.filter((line) => line !== "");
}`,
  ],
  [
    "Python",
    71,
    `def mean_rank(results: dict[str, list[int]], default: float = 0.0) -> float:
    """The mean of one over the first rank."""
    ranks = [1 / min(found) for found in results.values() if found]
    if not ranks:
        return default
    return sum(ranks) / len(results)
`,
  ],
  [
    "SQL",
    64,
    `SELECT d.id, d.name, count(c.id) AS chunks
FROM documents d JOIN chunks c ON c.document_id = d.id
WHERE d.org_id = ? AND d.deleted_at IS NULL AND d.created_at >= 1767225600000
GROUP BY d.id ORDER BY chunks DESC LIMIT 20;`,
  ],
  [
    "JSON",
    157,
    `[
  {
    "id": "ord_91724",
    "customer": {
      "name": "Ada Byron",
      "country": "NO"
    },
    "total": 1249.5,
    "paid": true,
    "items": [
      {
        "sku": "TN-2420",
        "count": 3
      },
      {
        "sku": "DR-2400",
        "count": 1
      }
    ]
  },
  {
    "id": "ord_91725",
    "customer": {
      "name": "Bob Stone",
      "country": "DE"
    },
    "total": 89,
    "paid": false,
    "items": []
  }
]`,
  ],
  [
    "CSV numbers",
    212,
    `1000,12.50,2026-01-10,0
1037,825.87,2026-02-11,7919
1074,1639.24,2026-03-12,15838
1111,2452.61,2026-04-13,23757
1148,3265.98,2026-05-14,31676
1185,4079.35,2026-06-15,39595
1222,4892.72,2026-07-16,47514
1259,5706.09,2026-08-17,55433
1296,6519.46,2026-09-18,63352
1333,7332.83,2026-01-19,71271
1370,8146.20,2026-02-10,79190
1407,8959.57,2026-03-11,87109`,
  ],
  [
    "a table of numbers",
    178,
    `Month | Sold | Returned | Share
1/2026 | 1200 | 0 | 1.0 %
2/2026 | 1337 | 31 | 1.8 %
3/2026 | 1474 | 62 | 2.7 %
4/2026 | 1611 | 3 | 3.5 %
5/2026 | 1748 | 34 | 4.3 %
6/2026 | 1885 | 65 | 5.1 %
7/2026 | 2022 | 6 | 6.0 %
8/2026 | 2159 | 37 | 6.8 %
9/2026 | 2296 | 68 | 7.6 %
10/2026 | 2433 | 9 | 8.5 %`,
  ],
  [
    "a Markdown table",
    64,
    `| Method | What it protects | Cost |
| --- | --- | --- |
| Passwords | Little against phishing, more with a manager | None |
| One-time codes | Stolen passwords, not a relayed sign-in | A phone |
| Passkeys | Phishing and stolen passwords | A recent browser |`,
  ],
  [
    "a log",
    157,
    `2026-03-01T12:00:07.100Z INFO server: GET /api/items/0 200 in 2 ms
2026-03-02T12:01:07.117Z INFO server: GET /api/items/731 200 in 5 ms
2026-03-03T12:02:07.134Z INFO server: GET /api/items/1462 200 in 8 ms
2026-03-04T12:03:07.151Z INFO server: GET /api/items/2193 200 in 11 ms
2026-03-05T12:04:07.168Z INFO server: GET /api/items/2924 200 in 14 ms`,
  ],
  [
    "addresses",
    54,
    `https://example.org/docs/getting-started/install?from=menu&lang=en
https://www.example.com/blog/2026/03/how-we-measure-search.html#results
https://cdn.example.net/assets/app-3f9c2d71.js`,
  ],
  [
    "capitals",
    37,
    "THE CONTRACTOR SHALL DELIVER THE GOODS WITHIN THIRTY DAYS OF THE ORDER. LIABILITY IS LIMITED TO THE PRICE PAID, EXCEPT IN CASES OF GROSS NEGLIGENCE.",
  ],
  [
    "identifiers",
    96,
    `3f2504e0-4f89-11d3-9a0c-0305e82c3301
7d444840-9dc0-11d1-b245-5ffdce74fad2
sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
  ],
];

describe("the estimate of a text's tokens", () => {
  it.each(SAMPLES)("is near the true count of %s", (_, tokens, text) => {
    const share = countTokens(text) / tokens;
    expect(share).toBeGreaterThanOrEqual(0.75);
    expect(share).toBeLessThanOrEqual(1.35);
  });

  it("is near it on the whole", () => {
    const shares = SAMPLES.map(([, tokens, text]) => countTokens(text) / tokens);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    expect(mean).toBeGreaterThan(0.9);
    expect(mean).toBeLessThan(1.15);
  });

  it("adds up over the parts of a text, wherever it is cut", () => {
    for (const [, , text] of SAMPLES) {
      const whole = weigh(text, 0, text.length);
      for (let cut = 0; cut <= text.length; cut += 7) {
        expect(weigh(text, 0, cut) + weigh(text, cut, text.length)).toBeCloseTo(whole, 6);
      }
    }
  });

  it("counts zero only for an empty text", () => {
    expect(countTokens("")).toBe(0);
    for (const character of ["a", " ", "\n", "é", "ж", "字", "😀", "\u0007"]) {
      expect(countTokens(character)).toBeGreaterThan(0);
    }
  });
});
