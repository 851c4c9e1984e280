import { serve } from "~/core/serve";
import { JsonElement } from "~/work/chat/transfer/json-elements";
import { readElement } from "~/work/chat/transfer/read-element";

serve(JsonElement, readElement);
