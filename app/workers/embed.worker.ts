import { EmbedTask, embed } from "~/features/knowledge/index/embedding/embed-task";
import { serve } from "./serve";

serve(EmbedTask, embed);
