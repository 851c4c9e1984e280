import { createElement } from "react";
import { STREAMED_BUTTON, StreamedPage, type StreamedPageProps } from "~/ui/streamed-page";
import type { Comparison } from "../comparisons.schema";

interface LiveColumnsProps extends Omit<StreamedPageProps, "title"> {
  comparison: Comparison;
  /** Beginning of the prompt. */
  title: string;
  /** Display names by the models' ids. */
  names: Readonly<Record<string, string>>;
  appName: string;
  /** Marks the position of the answers' chunks. */
  placeholder: string;
}

/**
 * Streams all answers without JavaScript: each piece at the page's end goes to a slot of a shadow tree.
 * https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/template#shadowrootmode
 */
export function LiveColumns({ comparison, title, names, appName, placeholder, ...page }: LiveColumnsProps) {
  const here = `/compare/${comparison.id}`;
  const columns = (
    <>
      <link rel="stylesheet" href={page.stylesheet} />
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
    <StreamedPage title={`${title} · Compare · ${appName}`} {...page}>
      <main className="mx-auto flex max-w-screen-2xl flex-col gap-6 px-4 py-8">
        <header className="flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0">
            <h1 className="text-lg">Comparison</h1>
            <p className="line-clamp-3 text-muted text-sm">{comparison.prompt}</p>
          </div>
          <form method="post" action={here} className="flex flex-wrap gap-2">
            <a href="/compare" className={STREAMED_BUTTON}>
              Back to the console
            </a>
            <button type="submit" name="intent" value="stop" className={STREAMED_BUTTON}>
              Stop All
            </button>
          </form>
        </header>
        <div>
          {createElement("template", { shadowrootmode: "open" }, columns)}
          {placeholder}
        </div>
      </main>
    </StreamedPage>
  );
}
