import { screen } from "~/http/screen.server";
import { readManifest } from "~/team/branding/manifest.service.server";

const { loader } = screen({
  access: "public",
  load: () =>
    new Response(JSON.stringify(readManifest()), {
      headers: { "Content-Type": "application/manifest+json", "Cache-Control": "no-cache" },
    }),
});

export { loader };
