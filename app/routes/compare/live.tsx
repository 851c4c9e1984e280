import { redirect } from "@remix-run/node";
import escapeHtml from "escape-html";
import { renderToStaticMarkup } from "react-dom/server";
import { toDisplayText } from "~/core/well-formed";
import { screen } from "~/http/screen.server";
import { htmlStream } from "~/http/send-response.server";
import stylesheet from "~/styles.css?url";
import { themeOf } from "~/team/branding/branding.service.server";
import { BrandHead } from "~/team/branding/components/brand-head";
import { pageBrand } from "~/team/branding/page-brand.service.server";
import { titleOf } from "~/work/chat/chat.service.server";
import { readComparison } from "~/work/comparisons/comparisons.service.server";
import { LiveColumns } from "~/work/comparisons/components/live-columns";
import { followComparison, hasMore } from "~/work/comparisons/follow.service.server";
import { positionOf } from "~/work/comparisons/position.shared";
import { modelNames } from "~/work/comparisons/screen.service.server";

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
    const page = renderToStaticMarkup(
      <LiveColumns
        comparison={comparison}
        names={modelNames(actor)}
        title={toDisplayText(titleOf(comparison.prompt))}
        stylesheet={stylesheet}
        theme={themeOf(actor)}
        brandStyle={brandStyle}
        head={<BrandHead {...head} />}
        appName={appName}
        placeholder={placeholder}
      />,
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
          write(`<p><a href="${here}">Show the result</a></p>`);
          // During a restart the result can't be loaded at once.
          if (interruption === undefined) write(`<meta http-equiv="refresh" content="0;url=${here}">`);
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
