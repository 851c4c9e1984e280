import { listNavigation } from "~/features/chat/list/navigation.service.server";
import { screen } from "~/http/screen.server";

const { loader } = screen({
  access: "chat.use",
  load: ({ actor }) =>
    Response.json({ conversations: listNavigation(actor) }, { headers: { "Cache-Control": "no-store" } }),
});

export { loader };
