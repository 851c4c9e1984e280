import { JsonElement } from "~/features/chat/transfer/json-elements";
import { readElement } from "~/features/chat/transfer/read-element";
import { serve } from "./serve";

serve(JsonElement, readElement);
