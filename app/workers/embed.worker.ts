import { EmbedTask, embed } from "~/features/knowledge/embedding/embed-task";
import { serve } from "./serve";

serve(EmbedTask, embed);
