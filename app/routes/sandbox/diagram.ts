import { z } from "zod";
import { withBase } from "~/core/base-path";
import { screen } from "~/http/screen.server";

/** The name of a built file, which the browser's own code knows: it says nothing that isn't public. */
const Query = z.object({ script: z.string().regex(/^[\w.-]{1,100}\.js$/) });

/**
 * The page in which Mermaid runs, with an origin of its own: it gets a text by message and answers with an SVG. The edge
 * gives it its policy.
 */
const { loader } = screen({
  access: "public",
  query: Query,
  load: ({ query: { script } }) => {
    const address = withBase(`/assets/${script}`);
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagram</title><body><script type="module" crossorigin src="${address}"></script>`;
    return new Response(page, {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "private, max-age=3600",
      },
    });
  },
});

export { loader };
