import { cx } from "~/ui/class-names";
import type { TextPage } from "../../document-view.schema";
import { outlineOf } from "./layout-text";

const MIN_HEADINGS = 2;
const INDENTS = ["", "pl-3", "pl-6", "pl-8"];

export function Outline({ page }: { page: TextPage }) {
  const entries = outlineOf(page);
  if (entries.length < MIN_HEADINGS) return null;
  const top = Math.min(...entries.map(({ level }) => level));
  return (
    <nav
      aria-label="Outline"
      className="sticky top-20 hidden max-h-[calc(100dvh-6rem)] self-start overflow-y-auto border-line border-l pl-4 xl:block"
    >
      <p className="mb-1.5 font-medium text-muted text-xs">On this page</p>
      <ul>
        {entries.map(({ id, level, text }) => (
          <li key={id} className={cx(INDENTS[Math.min(level - top, INDENTS.length - 1)])}>
            <a
              href={`#${id}`}
              className="block truncate rounded-sm py-1 text-muted text-xs hover:text-ink pointer-coarse:py-3"
              title={text}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
