import { exportBranding } from "~/features/branding/exchange.service.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "settings.manage",
  load: ({ actor }) =>
    new Response(`${JSON.stringify(exportBranding(actor), null, 2)}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="branding.json"',
        "Cache-Control": "no-store",
      },
    }),
});

export { loader };
