import { ImagesTask, readMadeImages } from "~/ai/models/images-task";
import { serve } from "~/core/serve";

serve(ImagesTask, readMadeImages, (made) => made?.images.map(({ bytes }) => bytes.buffer) ?? []);
