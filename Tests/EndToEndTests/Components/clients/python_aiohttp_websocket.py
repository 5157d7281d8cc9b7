import asyncio
import sys

import aiohttp


async def main():
    async with aiohttp.ClientSession() as session, session.ws_connect(sys.argv[1].replace("http", "ws", 1)) as socket:
        sys.stdout.write(await socket.receive_str())


asyncio.run(main())
