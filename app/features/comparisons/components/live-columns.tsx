import { type CSSProperties, createElement, type ReactNode } from "react";
import type { Comparison } from "../comparisons.schema";

const BUTTON =
  "inline-flex min-h-9 items-center rounded-md border border-line bg-raised px-3.5 font-medium text-sm hover:bg-hover pointer-coarse:min-h-11";

interface Props {
  comparison: Comparison;
  /** Beginning of the prompt. */
  title: string;
  /** Display names by the models' ids. */
  names: Readonly<Record<string, string>>;
  stylesheet: string;
  theme: string;
  brandStyle: CSSProperties;
  head: ReactNode;
  appName: string;
  /** Marks the position of the answers' chunks. */
  placeholder: string;
}

/**
 * Streams all answers without JavaScript: each piece at the page's end goes to a slot of a shadow tree.
 * https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/template#shadowrootmode
 */
export function LiveColumns({
  comparison,
  title,
  names,
  stylesheet,
  theme,
  brandStyle,
  head,
  appName,
  placeholder,
}: Props) {
  const here = `/compare/${comparison.id}`;
  const columns = (
    <>
      <link rel="stylesheet" href={stylesheet} />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(16rem,100%),1fr))] gap-4">
        {comparison.answers.map(({ conversationId, model }, index) => (
          <section
            key={conversationId}
            aria-label={names[model] ?? model}
            className="min-w-0 rounded-lg border border-line bg-surface p-4"
          >
            <h2 className="wrap-anywhere mb-2 text-sm">{names[model] ?? model}</h2>
            <div className="wrap-anywhere whitespace-pre-wrap text-sm leading-6">
              <slot name={`column-${index}`} />
            </div>
          </section>
        ))}
      </div>
      <div className="mt-4 text-sm">
        <slot />
      </div>
    </>
  );
  return (
    <html lang="en" data-theme={theme} data-custom-css="" style={brandStyle}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Compare · ${appName}`}</title>
        <link rel="stylesheet" href={stylesheet} />
        {head}
      </head>
      <body>
        <main className="mx-auto flex max-w-screen-2xl flex-col gap-6 px-4 py-8">
          <header className="flex flex-wrap items-center justify-between gap-3">
            <div className="min-w-0">
              <h1 className="text-lg">Comparison</h1>
              <p className="line-clamp-3 text-muted text-sm">{comparison.prompt}</p>
            </div>
            <form method="post" action={here} className="flex flex-wrap gap-2">
              <a href="/compare" className={BUTTON}>
                Back to the console
              </a>
              <button type="submit" name="intent" value="stop" className={BUTTON}>
                Stop All
              </button>
            </form>
          </header>
          <div>
            {createElement("template", { shadowrootmode: "open" }, columns)}
            {placeholder}
          </div>
        </main>
      </body>
    </html>
  );
}
