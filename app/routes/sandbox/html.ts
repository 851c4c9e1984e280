import { screen } from "~/http/screen.server";

/**
 * Becomes the HTML that the page around it sends, whose scripts then run here, with an origin of their own. Written into
 * the same document, they keep the policy that the edge gives this one.
 */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title><script>
addEventListener("message", ({ source, data }) => {
  if (source !== parent || typeof data !== "string") return;
  document.open();
  document.write(data);
  document.close();
});
parent.postMessage("ready", "*");
</script>`;

const { loader } = screen({
  access: "public",
  load: () =>
    new Response(PAGE, {
      headers: {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "private, max-age=3600",
      },
    }),
});

export { loader };
