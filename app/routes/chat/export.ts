import { downloadStream } from "~/http/download.server";
import { screen } from "~/http/screen.server";
import { exportConversation } from "~/work/chat/transfer/export.service.server";
import { ExportQuery } from "~/work/chat/transfer/imports.schema";

const { loader } = screen({
  access: "chat.use",
  query: ExportQuery,
  load: ({ actor, params, query, context }) =>
    downloadStream(
      context,
      exportConversation(actor, params.conversationId ?? "", { ...query, origin: context.origin }),
    ),
});

export { loader };
