import asyncio
import sys

import aiohttp


async def main():
    async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(sys.argv[1]) as answer:
        sys.stdout.write(await answer.text())


asyncio.run(main())
