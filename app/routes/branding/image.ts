import { screen } from "~/http/screen.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { drawInitial, readStoredImage } from "~/team/branding/images/brand-images.service.server";

/** The address changes with the bytes. A CSP keeps an SVG from running anything. */
const { loader } = screen({
  access: "public",
  load: ({ params: { name = "" } }) => {
    const { mediaType, bytes } = name === "icon.svg" ? drawInitial(readBranding()) : readStoredImage(name);
    return new Response(new Uint8Array(bytes), {
      headers: {
        "Content-Type": mediaType,
        "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        "Cache-Control": "public, max-age=31536000, immutable",
      },
    });
  },
});

export { loader };
