import base64

from anthropic import AsyncAnthropic
from cases import CONSOLE, GREETING, MESSAGES_MODEL, MODEL, PIXEL, RESPONSES_MODEL, TOKEN, V1, WEATHER
from cases import equal, run_cases
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput, PromptedOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


class Person(BaseModel):
    name: str
    born: int


def models():
    """Clients of their own for each event loop."""
    openai = OpenAIProvider(openai_client=AsyncOpenAI(api_key=TOKEN, base_url=V1, max_retries=0))
    client = AsyncAnthropic(api_key=TOKEN, base_url=CONSOLE, max_retries=0)
    return [
        OpenAIChatModel(MODEL, provider=openai),
        OpenAIResponsesModel(RESPONSES_MODEL, provider=openai),
        AnthropicModel(MESSAGES_MODEL, provider=AnthropicProvider(anthropic_client=client)),
    ]


async def text():
    for model in models():
        equal((await Agent(model).run("greet")).output, GREETING)


async def stream():
    for model in models():
        async with Agent(model).run_stream("greet") as result:
            equal(await result.get_output(), GREETING)


async def tools():
    asked = []

    def look_up(city: str) -> str:
        asked.append(city)
        return "21"

    for model in models():
        equal((await Agent(model, tools=[look_up]).run("weather")).output, WEATHER)
    equal(asked, ["Wien"] * 3)


async def structured():
    for model in models():
        # It knows by a model's name of Anthropic whether that takes a schema.
        output = PromptedOutput if isinstance(model, AnthropicModel) else NativeOutput
        result = await Agent(model, output_type=output(Person)).run("as json")
        equal(result.output, Person(name="Ada", born=1815))


async def images():
    picture = BinaryContent(data=base64.b64decode(PIXEL), media_type="image/png")
    for model in models():
        equal((await Agent(model).run(["picture", picture])).output, "One pixel.")


async def errors():
    for model in models():
        try:
            await Agent(model).run("too long")
        except ModelHTTPError as error:
            equal(error.status_code, 400)
        else:
            raise AssertionError("Nothing was raised")


run_cases(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "images": images,
        "errors": errors,
    }
)
