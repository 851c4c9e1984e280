import mermaid, { type MermaidConfig } from "mermaid";
import type { DrawReply, DrawRequest, Palette } from "./draw-request";

// Runs in a sandboxed frame (`routes/sandbox/diagram`), never in the console's page.

const FONT = "ui-sans-serif, system-ui, sans-serif";
/** In characters. */
const MAX_REASON = 160;

function themeOf({ series, ...colors }: Palette): MermaidConfig["themeVariables"] {
  const { dark, surface, sunken, ink, muted, line, soft } = colors;
  const onSeries = dark ? "#000000" : "#ffffff";
  return {
    darkMode: dark,
    fontFamily: FONT,
    fontSize: "14px",
    background: surface,
    mainBkg: surface,
    primaryColor: surface,
    primaryTextColor: ink,
    primaryBorderColor: muted,
    secondaryColor: soft,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: sunken,
    tertiaryTextColor: ink,
    tertiaryBorderColor: line,
    lineColor: muted,
    textColor: ink,
    titleColor: ink,
    nodeBorder: muted,
    clusterBkg: sunken,
    clusterBorder: line,
    edgeLabelBackground: sunken,
    noteBkgColor: soft,
    noteTextColor: ink,
    noteBorderColor: line,
    labelBoxBkgColor: soft,
    pieStrokeColor: surface,
    pieOuterStrokeColor: line,
    pieSectionTextColor: onSeries,
    pieTitleTextColor: ink,
    pieLegendTextColor: ink,
    pieOpacity: "1",
    ...Object.fromEntries(series.map((color, index) => [`pie${index + 1}`, color])),
    xyChart: {
      backgroundColor: sunken,
      titleColor: ink,
      dataLabelColor: onSeries,
      legendTextColor: ink,
      ...Object.fromEntries(
        ["xAxis", "yAxis"].flatMap((axis) => [
          [`${axis}LabelColor`, muted],
          [`${axis}TitleColor`, ink],
          [`${axis}TickColor`, line],
          [`${axis}LineColor`, line],
        ]),
      ),
      plotColorPalette: series.join(","),
    },
    ...Object.fromEntries(series.map((color, index) => [`git${index}`, color])),
    ...Object.fromEntries(series.map((color, index) => [`cScale${index}`, color])),
    ...Object.fromEntries(series.map((_, index) => [`cScaleLabel${index}`, onSeries])),
    ...Object.fromEntries(series.map((_, index) => [`gitBranchLabel${index}`, onSeries])),
  };
}

function reasonOf(error: unknown): string {
  // The parser's further lines repeat the source and list its tokens.
  const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return first.replace(/:?\s*$/, ".").slice(0, MAX_REASON);
}

async function draw({ id, source, palette }: DrawRequest): Promise<DrawReply> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    htmlLabels: false,
    theme: "base",
    themeVariables: themeOf(palette),
    fontFamily: FONT,
    maxTextSize: source.length + 1,
    maxEdges: 500,
    // A text's own directives change none of these.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "suppressErrorRendering",
      "htmlLabels",
      "themeCSS",
      "dompurifyConfig",
    ],
  });
  try {
    const { svg, diagramType } = await mermaid.render(`diagram-${id}`, source);
    return { id, svg, type: diagramType };
  } catch (error) {
    return { id, error: reasonOf(error) };
  }
}

addEventListener("message", ({ source, data }: MessageEvent<DrawRequest>) => {
  if (source !== parent) return;
  void draw(data).then((reply) => parent.postMessage(reply, "*"));
});
parent.postMessage("ready", "*");
