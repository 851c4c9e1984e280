import { serve } from "~/core/serve";
import { EmbedTask, embed } from "~/work/index/embedding/embed-task";

serve(EmbedTask, embed);
