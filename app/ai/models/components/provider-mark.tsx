import { cx } from "~/ui/class-names";

// Shapes of our own, not the makers' marks: they tell types apart at a glance and belong to nobody.
const SHAPES: Readonly<Record<string, string>> = {
  openai: "M12 3.5l7.4 4.25v8.5L12 20.5l-7.4-4.25v-8.5zM12 9v6M9.4 10.5l5.2 3M14.6 10.5l-5.2 3",
  anthropic: "M4.5 19 12 5l7.5 14M8.2 14.5h7.6",
  google: "M12 3.5 20.5 12 12 20.5 3.5 12zM12 8.5l3.5 3.5-3.5 3.5L8.5 12z",
  huggingface: "M12 4a8 8 0 1 0 0 16 8 8 0 1 0 0-16M9 10v.5M15 10v.5M8.5 14c1.8 2.3 5.2 2.3 7 0",
  openrouter: "M3.5 12h5l5-5.5h6.5M8.5 12l5 5.5h6.5M17.5 4l2.5 2.5-2.5 2.5M17.5 15l2.5 2.5-2.5 2.5",
  "local-ollama": "M4.5 5h15v10.5h-15zM2.5 19h19M12 8v4.5M9.8 10.2h4.4",
  custom:
    "M9 5c-2.5 0-2.5 1.5-2.5 3.5S6 12 4.5 12c1.5 0 2 1.5 2 3.5S6.5 19 9 19M15 5c2.5 0 2.5 1.5 2.5 3.5s.5 3.5 2 3.5c-1.5 0-2 1.5-2 3.5S17.5 19 15 19",
};

const TINTS: Readonly<Record<string, string>> = {
  openai: "bg-success-soft text-success-ink",
  anthropic: "bg-warning-soft text-warning-ink",
  google: "bg-info-soft text-info-ink",
  huggingface: "bg-warning-soft text-warning-ink",
  openrouter: "bg-secondary-soft text-secondary-ink",
  "local-ollama": "bg-active text-ink",
  custom: "bg-primary-soft text-primary-ink",
};

export function ProviderMark({ type, className }: { type: string; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        "grid size-9 shrink-0 place-items-center rounded-md",
        TINTS[type] ?? "bg-active text-ink",
        className,
      )}
    >
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: decorative, inside what is hidden */}
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="size-5"
      >
        <path d={SHAPES[type] ?? SHAPES.custom} />
      </svg>
    </span>
  );
}
