import { redirect } from "@remix-run/node";
import escapeHtml from "escape-html";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { builtAddress, withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { screen } from "~/http/screen.server";
import { htmlStream } from "~/http/send-response.server";
import stylesheet from "~/styles.css?url";
import { themeOf } from "~/team/branding/branding.service.server";
import { BrandHead } from "~/team/branding/components/brand-head";
import { pageBrand } from "~/team/branding/page-brand.service.server";
import { STREAMED_BUTTON, StreamedPage } from "~/ui/streamed-page";
import { titleOf } from "~/work/chat/chat.service.server";
import { positionOf } from "~/work/comparisons/columns.shared";
import type { Comparison } from "~/work/comparisons/comparisons.schema";
import {
  followComparison,
  hasMore,
  modelNames,
  readComparison,
} from "~/work/comparisons/comparisons.service.server";

/** Streams a comparison as HTML without JavaScript. A resource route, since document routes are buffered. */
const { loader } = screen({
  access: "signed-in",
  load: ({ actor, params: { comparisonId = "" }, url, context }) => {
    const comparison = readComparison(actor, comparisonId);
    const here = `/compare/${comparison.id}`;
    const position = positionOf(comparison.answers.map(({ lastEventId }) => lastEventId));
    if (!hasMore(actor, comparison.id, position)) return redirect(here);
    const { appName, brandStyle, head } = pageBrand(url, context.cspNonce);
    // A unique marker that no text contains.
    const placeholder = `%${context.requestId}%`;
    const title = `${toDisplayText(titleOf(comparison.prompt))} · Compare · ${appName}`;
    const page = renderToStaticMarkup(
      <StreamedPage
        title={title}
        stylesheet={builtAddress(stylesheet)}
        theme={themeOf(actor)}
        brandStyle={brandStyle}
        head={<BrandHead {...head} />}
      >
        <LiveColumns comparison={comparison} names={modelNames(actor)} placeholder={placeholder} />
      </StreamedPage>,
    );
    const [before = "", after = ""] = page.split(placeholder);
    return htmlStream(context, (write, end) => {
      const piece = (column: number, text: string) =>
        write(`<span slot="column-${column}">${escapeHtml(text)}</span>`);
      write(`<!DOCTYPE html>${before}`);
      for (const [column, { answer }] of comparison.answers.entries()) {
        piece(column, answer.content);
        if (answer.error) piece(column, answer.error);
      }
      const stop = followComparison(actor, comparison.id, position, (event, interruption) => {
        if (!event) {
          write(`<p><a href="${withBase(here)}">Show the result</a></p>`);
          // During a restart the result can't be loaded at once.
          if (interruption === undefined)
            write(`<meta http-equiv="refresh" content="0;url=${withBase(here)}">`);
          write(after);
          return end();
        }
        const { chunk, column } = event;
        if (chunk.type === "text-delta") piece(column, chunk.delta);
        if (chunk.type === "error") piece(column, `\n${chunk.errorText}`);
      });
      return stop ?? (() => {});
    });
  },
});

export { loader };

interface LiveColumnsProps {
  comparison: Comparison;
  /** Display names by the models' ids. */
  names: Readonly<Record<string, string>>;
  /** Marks the position of the answers' chunks. */
  placeholder: string;
}

/**
 * Streams all answers without JavaScript: each piece at the page's end goes to a slot of a shadow tree.
 * https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/template#shadowrootmode
 */
function LiveColumns({ comparison, names, placeholder }: LiveColumnsProps) {
  const columns = (
    <>
      <link rel="stylesheet" href={builtAddress(stylesheet)} />
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
    <main className="mx-auto flex max-w-screen-2xl flex-col gap-6 px-4 py-8">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h1 className="line-clamp-3 text-lg">{toDisplayText(comparison.prompt)}</h1>
          <p className="text-muted text-sm">Comparison of {comparison.answers.length} models</p>
        </div>
        <form method="post" action={withBase(`/compare/${comparison.id}`)} className="flex flex-wrap gap-2">
          <a href={withBase("/compare")} className={STREAMED_BUTTON}>
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
  );
}
