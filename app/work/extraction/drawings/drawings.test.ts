import { describe, expect, it } from "vitest";
import { DocumentBuilder } from "../document-builder";
import { altTextOf } from "./alt-text";
import { readChart } from "./charts";
import { readDiagram } from "./diagrams";
import { addDrawing } from "./drawing";

const xml = (text: string) => new TextEncoder().encode(`<x>${text}</x>`);
const rich = (text: string) => `<c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx>`;
const points = (texts: readonly string[]) =>
  texts.map((text, at) => (text ? `<c:pt idx="${at}"><c:v>${text}</c:v></c:pt>` : "")).join("");
const strings = (...texts: string[]) =>
  `<c:strRef><c:f>A1</c:f><c:strCache>${points(texts)}</c:strCache></c:strRef>`;
const numbers = (code: string, ...texts: string[]) =>
  `<c:numRef><c:numCache><c:formatCode>${code}</c:formatCode>${points(texts)}</c:numCache></c:numRef>`;
const series = (name: string, ...parts: string[]) =>
  `<c:ser>${name ? `<c:tx>${strings(name)}</c:tx>` : ""}${parts.join("")}</c:ser>`;
const cat = (content: string) => `<c:cat>${content}</c:cat>`;
const val = (content: string) => `<c:val>${content}</c:val>`;
const tablesOf = async (text: string) => (await readChart(xml(text))).tables;

describe("a chart", () => {
  it("has its titles as text and its series as columns", async () => {
    const regions = cat(strings("Hamburg", "01067"));
    const chart = await readChart(
      xml(
        `<c:title>${rich("Turnover")}</c:title>` +
          series("2030", regions, val(numbers("General", "4711", "1.10000000000000009"))) +
          series("2031", regions, val(numbers("General", "4800"))) +
          `<c:catAx><c:title>${rich("Region")}</c:title></c:catAx><c:valAx><c:title>${rich("k€")}</c:title></c:valAx>`,
      ),
    );
    const builder = new DocumentBuilder();
    addDrawing(builder, chart);
    expect(builder.finish("", { format: "" }).text).toBe(
      "Turnover\nRegion\nk€\n\n| 2030 | 2031\nHamburg | 4711 | 4800\n01067 | 1.1",
    );
  });

  it.each([
    ["dd/mm/yyyy", "45366", "2024-03-15"],
    ["[$-407]mmm yy", "45366", "2024-03-15"],
    ["hh:mm", "0.010416666666666", "00:15"],
    ["0.0%", "0.425", "42.5%"],
    ["#,##0", "4711", "4711"],
    ["General", "#N/A", "#N/A"],
  ])("shows a value of the format %s", async (code, value, shown) => {
    expect(await tablesOf(series("", cat(numbers(code, value)), val(numbers(code, value))))).toEqual([
      { rows: [[shown, shown]], header: false },
    ]);
  });

  it("counts dates from 1904 where it says so", async () => {
    expect(await tablesOf(`<c:date1904 val="1"/>${series("", val(numbers("yyyy", "0")))}`)).toEqual([
      { rows: [["1904-01-01"]], header: false },
    ]);
  });

  it("names both levels of its categories", async () => {
    const levels = `<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(["Q1", "Q2", "Q1"])}</c:lvl><c:lvl>${points(["2030", "", "2031"])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>`;
    expect(await tablesOf(series("", cat(levels), val(numbers("General", "1", "2", "3"))))).toEqual([
      {
        rows: [
          ["2030 / Q1", "1"],
          ["2030 / Q2", "2"],
          ["2031 / Q1", "3"],
        ],
        header: false,
      },
    ]);
  });

  it("of points has a table for each series with its own places", async () => {
    const dots = (name: string, x: string, y: string, size: string) =>
      series(
        name,
        `<c:xVal>${numbers("General", x)}</c:xVal><c:yVal>${numbers("General", y)}</c:yVal><c:bubbleSize>${numbers("General", size)}</c:bubbleSize>`,
      );
    expect(await tablesOf(dots("North", "1", "2", "30") + dots("South", "7", "8", "90"))).toEqual([
      {
        rows: [
          ["", "North", ""],
          ["1", "2", "30"],
        ],
        header: true,
      },
      {
        rows: [
          ["", "South", ""],
          ["7", "8", "90"],
        ],
        header: true,
      },
    ]);
  });

  it("reads labels, but not what it repeats", async () => {
    const label = `<c:dLbl><c:tx><c:rich><a:p><a:r><a:t>New law</a:t></a:r><a:fld><a:t>[VALUE]</a:t></a:fld></a:p></c:rich></c:tx></c:dLbl>`;
    const repeated = `<c:extLst><c15:cat>${strings("Kiel", "Husum")}</c15:cat><c15:datalabelsRange><c15:dlblRangeCache>${points(["best"])}</c15:dlblRangeCache></c15:datalabelsRange></c:extLst>`;
    const chart = await readChart(
      xml(series("A", label, cat(strings("Kiel")), val(numbers("General", "5")), repeated)),
    );
    expect(chart.captions).toEqual(["New law"]);
    expect(chart.tables).toEqual([
      {
        rows: [
          ["", "A", ""],
          ["Kiel", "5", "best"],
        ],
        header: true,
      },
    ]);
  });

  it("of Office 2016 and later is read too", async () => {
    const chart = await readChart(
      xml(
        '<cx:chartData><cx:data id="0"><cx:strDim type="cat"><cx:lvl><cx:pt idx="0">Hull</cx:pt></cx:lvl></cx:strDim>' +
          '<cx:numDim type="val"><cx:lvl formatCode="0%"><cx:pt idx="0">0.5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData>' +
          "<cx:chart><cx:title><cx:tx><cx:txData><cx:v>Losses</cx:v></cx:txData></cx:tx><cx:txPr><a:p><a:r><a:t>Losses</a:t></a:r></a:p></cx:txPr></cx:title>" +
          '<cx:series><cx:tx><cx:txData><cx:v>2031</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:chart>',
      ),
    );
    expect(chart).toMatchObject({
      title: "Losses",
      tables: [
        {
          rows: [
            ["", "2031"],
            ["Hull", "50%"],
          ],
          header: true,
        },
      ],
    });
  });

  it("with forged indexes makes no more cells than it has values", async () => {
    const scattered = (at: number) =>
      `<c:ser><c:val><c:numRef><c:numCache>${Array.from({ length: 100 }, (_, n) => `<c:pt idx="${at * 100 + n}"><c:v>1</c:v></c:pt>`).join("")}</c:numCache></c:numRef></c:val></c:ser>`;
    const tables = await tablesOf(Array.from({ length: 100 }, (_, at) => scattered(at)).join(""));
    expect(tables.flatMap(({ rows }) => rows.flat())).toHaveLength(10_000);
  });

  it("with too many values is cut, and says so", async () => {
    const chart = await readChart(
      xml(series("", val(numbers("General", ...Array<string>(100_001).fill("1"))))),
    );
    expect([chart.isCut, chart.tables[0]?.rows.length]).toEqual([true, 99_999]);
  });
});

describe("a diagram", () => {
  const point = (id: string, text: string, attributes = "", properties = "") =>
    `<dgm:pt modelId="${id}" ${attributes}><dgm:prSet ${properties}/><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const below = (parent: string, child: string, order: number, arrow = "") =>
    `<dgm:cxn srcId="${parent}" destId="${child}" srcOrd="${order}" parTransId="${arrow}"/>`;
  const textsOf = (text: string) =>
    readDiagram(xml(text)).points.map(({ level, text: line }) => [level, line]);

  it("lists its points by their place, with the labels of arrows", () => {
    expect(
      textsOf(
        point("d", "", 'type="doc"') +
          point("2", "Second") +
          point("1", "First") +
          point("3", "Below") +
          point("t", "then", 'type="parTrans"') +
          point("p", "repeated", 'type="pres"') +
          point("e", "[Text]", "", 'phldr="1"') +
          point("z", "Loose") +
          below("d", "2", 1, "t") +
          below("d", "1", 0) +
          below("1", "3", 0) +
          below("d", "e", 2) +
          '<dgm:cxn type="presOf" srcId="z" destId="1"/>',
      ),
    ).toEqual([
      [0, "First"],
      [1, "Below"],
      [0, "then"],
      [0, "Second"],
      [0, "Loose"],
    ]);
  });

  it("that leads back to itself ends", () => {
    expect(textsOf(point("1", "A") + point("2", "B") + below("1", "2", 0) + below("2", "1", 0))).toEqual([
      [0, "A"],
      [1, "B"],
    ]);
  });
});

describe("an alternative text", () => {
  it.each([
    ["the red valve", "the red valve"],
    ["Line one\n\nLine two", "Line one Line two"],
    ["IMG_2031.JPG", ""],
    ["C:\\Users\\Ada\\Desktop\\valve.png", ""],
    ["Grafik 5", ""],
    ["A picture containing text, outdoor", ""],
    ["A red sign\n\nDescription automatically generated", ""],
    ["Ein Diagramm\n\nAutomatisch generierte Beschreibung", ""],
    ["Une image\n\nDescription générée automatiquement", ""],
    ["A red sign\n\nAI-generated content may be incorrect.", ""],
    ["Ein Schild\n\nKI-generierte Inhalte können fehlerhaft sein.", ""],
    ["图示\n\n描述已自动生成", ""],
  ])("%j is read as %j", (descr, text) => {
    expect(altTextOf({ descr })).toBe(text);
  });

  it("has its title first", () => {
    expect(altTextOf({ title: "Valve", descr: "It is red." })).toBe("Valve: It is red.");
  });
});
