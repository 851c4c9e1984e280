import { screen } from "~/http/screen.server";
import { listNavigation } from "~/work/chat/list/list.service.server";

const { loader } = screen({
  access: "chat.use",
  load: ({ actor }) =>
    Response.json({ conversations: listNavigation(actor) }, { headers: { "Cache-Control": "no-store" } }),
});

export { loader };
