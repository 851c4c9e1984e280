import { shownText } from "~/features/chat/shown-text.schema";
import { cx } from "~/ui/class-names";
import { Table } from "~/ui/table";
import type { TextPage } from "../../document-view.schema";
import { firstTouched, type LaidBlock, layoutText, type Range, type TextRow } from "./layout-text";

interface DocumentTextProps {
  page: TextPage;
  /** The passage that is marked. */
  passage?: Range | undefined;
}

/** A page of a document's text with its structure: always as text, whatever it holds. */
export function DocumentText({ page, passage }: DocumentTextProps) {
  const blocks = layoutText(page);
  const first = passage && firstTouched(blocks, passage);
  const words = (range: Range) => (
    <Words key={range.start} page={page} range={range} passage={passage} anchor={range === first} />
  );
  return (
    <div className="wrap-anywhere flex max-w-[75ch] flex-col gap-3 text-sm leading-6">
      {blocks.map((laid, index) => {
        const before = blocks[index - 1]?.block.page;
        const { page: number } = laid.block;
        return (
          <div key={laid.block.start} className="min-w-0">
            {number !== undefined && number !== before && <PageMark number={number} />}
            <BlockView laid={laid} words={words} />
          </div>
        );
      })}
    </div>
  );
}

type Draw = (range: Range) => JSX.Element;

const HEADINGS = ["text-lg", "text-md", "text-sm"];

function BlockView({ laid: { block, rows }, words }: { laid: LaidBlock; words: Draw }) {
  const all = rows.flatMap(({ ranges }) => ranges).map(words);
  switch (block.kind) {
    case "heading": {
      // The page's own title is the first heading.
      const Heading = `h${Math.min(6, (block.level ?? 1) + 1)}` as "h2";
      return <Heading className={cx("pt-3", HEADINGS[(block.level ?? 1) - 1] ?? "text-sm")}>{all}</Heading>;
    }
    case "code":
      return (
        <pre className="whitespace-pre-wrap rounded-md border border-line bg-sunken px-3 py-2.5 font-mono text-xs leading-5">
          <code>{all}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote className="whitespace-pre-line border-edge border-l-2 pl-3 text-muted">{all}</blockquote>
      );
    case "list":
      return <List rows={rows} words={words} />;
    case "table":
      return <Cells rows={rows} header={block.header && !block.continued} page={block.page} words={words} />;
    default:
      return <p className="whitespace-pre-line">{all}</p>;
  }
}

function List({ rows, words }: { rows: TextRow[]; words: Draw }) {
  return (
    <ul className="flex flex-col gap-1">
      {rows.map(({ ranges, depth, marker }) => (
        <li
          key={ranges[0]?.start}
          className="grid grid-cols-[auto_minmax(0,1fr)] gap-2"
          style={{ paddingInlineStart: `${Math.min(depth, 6) * 1.25}rem` }}
        >
          <span className="text-muted tabular-nums">{/\d/.test(marker) ? marker : "•"}</span>
          <span>
            {ranges.map((range, index) => (
              <span key={range.start} className={cx(index > 0 && "block")}>
                {words(range)}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface CellsProps {
  rows: TextRow[];
  header: boolean | undefined;
  page: number | undefined;
  words: Draw;
}

// Words stay whole as far as they can: the table scrolls sideways in its frame.
const CELL = "wrap-break-word border-line px-3 py-1.5 align-top not-last:border-r";

function Cells({ rows, header, page, words }: CellsProps) {
  const [first, ...rest] = rows;
  const body = header ? rest : rows;
  return (
    <Table caption={page === undefined ? "Table" : `Table on page ${page}`}>
      {header && first && (
        <thead>
          <tr className="border-line border-b">
            {first.ranges.map((range) => (
              <th key={range.start} scope="col" className={cx(CELL, "font-medium text-muted text-xs")}>
                {words(range)}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {body.map(({ ranges }) => (
          <tr key={ranges[0]?.start} className="border-line not-last:border-b">
            {ranges.map((range) => (
              <td key={range.start} className={CELL}>
                {words(range)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function PageMark({ number }: { number: number }) {
  return (
    <p className="mt-2 mb-3 flex items-center gap-3 text-muted text-xs tabular-nums before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      Page {number}
    </p>
  );
}

interface WordsProps extends DocumentTextProps {
  range: Range;
  /** Whether the passage's mark begins here: that is what the address points to. */
  anchor: boolean;
}

/** A stretch of the text, what of it belongs to the passage marked. */
function Words({ page, range, passage, anchor }: WordsProps) {
  // An address may name a place within a character.
  const text = (start: number, end: number) =>
    shownText(page.text.slice(start - page.start, end - page.start));
  const from = Math.max(range.start, passage?.start ?? 0);
  const to = Math.min(range.end, passage?.end ?? 0);
  if (from >= to) return <>{text(range.start, range.end)}</>;
  return (
    <>
      {text(range.start, from)}
      <mark
        {...(anchor ? { id: "passage", tabIndex: -1 } : {})}
        className="scroll-mt-24 rounded-xs bg-warning/25 text-ink outline-none [box-decoration-break:clone]"
      >
        {text(from, to)}
      </mark>
      {text(to, range.end)}
    </>
  );
}
