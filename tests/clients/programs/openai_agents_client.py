from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner
from agents import function_tool, set_tracing_disabled
from cases import GREETING, MODEL, RESPONSES_MODEL, TOKEN, V1, WEATHER, equal, run_cases
from openai import AsyncOpenAI
from pydantic import BaseModel

set_tracing_disabled(True)


class Person(BaseModel):
    name: str
    born: int


@function_tool
def look_up(city: str) -> str:
    """Looks up the weather."""
    return "21"


def models():
    """A client of its own for each event loop."""
    client = AsyncOpenAI(api_key=TOKEN, base_url=V1, max_retries=0)
    return [
        OpenAIChatCompletionsModel(model=MODEL, openai_client=client),
        OpenAIResponsesModel(model=RESPONSES_MODEL, openai_client=client),
    ]


def agent(model, **own):
    return Agent(name="Agent", model=model, model_settings=ModelSettings(store=False), **own)


async def text():
    for model in models():
        equal((await Runner.run(agent(model), "greet")).final_output, GREETING)


async def stream():
    for model in models():
        result = Runner.run_streamed(agent(model), "greet")
        async for _ in result.stream_events():
            pass
        equal(result.final_output, GREETING)


async def tools():
    for model in models():
        equal((await Runner.run(agent(model, tools=[look_up]), "weather")).final_output, WEATHER)


async def structured():
    for model in models():
        result = await Runner.run(agent(model, output_type=Person), "as json")
        equal(result.final_output, Person(name="Ada", born=1815))


run_cases({"text": text, "stream": stream, "tools": tools, "structured output": structured})
