import { screen } from "~/http/screen.server";
import { exportBranding } from "~/team/branding/exchange.service.server";

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
