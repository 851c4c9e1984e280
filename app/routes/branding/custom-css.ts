import { screen } from "~/http/screen.server";
import { readCustomCss } from "~/team/branding/custom-css/custom-css.service.server";

/** Empty rather than 404: open pages may still request it. */
const { loader } = screen({
  access: "public",
  load: ({ url }) => {
    const sheet = readCustomCss();
    const isVersion = sheet !== undefined && url.searchParams.get("v") === sheet.version;
    return new Response(sheet?.css ?? "", {
      headers: {
        "Content-Type": "text/css; charset=utf-8",
        "Cache-Control": isVersion ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  },
});

export { loader };
