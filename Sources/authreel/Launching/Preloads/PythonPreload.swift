/// What Python loads first (`PYTHONPATH`): aiohttp and urllib3 go through the proxy without being told to.
enum PythonPreload {
    static let text = #"""
        # Loaded by `authreel record -- CMD` for this run only, as the first sitecustomize on PYTHONPATH; it then loads the one
        # that it hides. aiohttp sessions and urllib3 pools go through the proxy of the environment without being told to, and
        # a program's own list of authorities gets the one of AUTHREEL_CA. Modules are changed when a program imports them.
        import os
        import sys


        def environment_proxy(scheme, host):
            from urllib.request import getproxies, proxy_bypass
            proxy = getproxies().get(scheme)
            return proxy if proxy and host and not proxy_bypass(host) else None


        def sign_in(proxy):
            from base64 import b64encode
            from urllib.parse import unquote, urlsplit
            parts = urlsplit(proxy)
            if not parts.username:
                return None
            word = unquote(parts.username) + ":" + unquote(parts.password or "")
            return {"Proxy-Authorization": "Basic " + b64encode(word.encode()).decode()}


        def change_ssl(module):
            original = module.SSLContext.load_verify_locations

            def load_verify_locations(self, *arguments, **named):
                original(self, *arguments, **named)
                try:
                    if self.protocol != module.PROTOCOL_TLS_SERVER:
                        original(self, os.environ["AUTHREEL_CA"])
                except Exception:
                    pass

            module.SSLContext.load_verify_locations = load_verify_locations


        def change_urllib3(module):
            Pool, original = module.PoolManager, module.PoolManager.urlopen

            def manager(pool, url):
                parts = module.parse_url(url)
                proxy = environment_proxy(parts.scheme, parts.hostname)
                if type(pool) is not Pool or pool.proxy or not proxy:
                    return None
                if proxy not in pool.__dict__.setdefault("_authreel", {}):
                    made = module.ProxyManager(
                        proxy, headers=pool.headers, proxy_headers=sign_in(proxy), **pool.connection_pool_kw
                    )
                    made.pools = pool.pools
                    pool._authreel[proxy] = made
                return pool._authreel[proxy]

            def urlopen(self, method, url, *arguments, **named):
                try:
                    other = manager(self, url)
                except Exception:
                    other = None
                if other:
                    return other.urlopen(method, url, *arguments, **named)
                return original(self, method, url, *arguments, **named)

            Pool.urlopen = urlopen


        def change_aiohttp(module):
            Session, original, Direct = module.ClientSession, module.ClientSession._request, module.TCPConnector
            ways = "_create_connection", "_create_direct_connection", "_wrap_create_connection"

            def proxy_for(session, url):
                connector = session._connector
                if session._trust_env or getattr(session, "_default_proxy", None) or not isinstance(connector, Direct):
                    return None
                # A connector that goes its own way, through SOCKS for instance.
                if any(getattr(type(connector), way) is not getattr(Direct, way) for way in ways):
                    return None
                url = session._build_url(url)
                return environment_proxy(url.scheme, url.host)

            def _request(self, method, str_or_url, **named):
                try:
                    if named.get("proxy") is None:
                        named["proxy"] = proxy_for(self, str_or_url)
                except Exception:
                    pass
                return original(self, method, str_or_url, **named)

            Session._request = _request


        class Changes:
            """A finder that lets the others find a module and changes it as soon as it is loaded."""

            changes = {"ssl": change_ssl, "urllib3.poolmanager": change_urllib3, "aiohttp.client": change_aiohttp}

            def find_spec(self, name, path=None, target=None):
                if name not in self.changes:
                    return None
                for finder in sys.meta_path:
                    spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(name, path, target)
                    if spec is not None:
                        self.follow(name, spec.loader)
                        return spec

            def follow(self, name, loader):
                def exec_module(module):
                    load(module)
                    if module.__name__ == name:
                        self.change(module)

                try:
                    load, loader.exec_module = loader.exec_module, exec_module
                except Exception:
                    pass

            def change(self, module):
                try:
                    self.changes[module.__name__](module)
                except Exception:
                    pass


        if sys.version_info >= (3, 6):
            finder = Changes()
            for name in finder.changes:
                if name in sys.modules:
                    finder.change(sys.modules[name])
            sys.meta_path.insert(0, finder)

        # The next one takes the place of this one, in sys.modules as well; without another this one stays.
        here, this = os.path.dirname(os.path.abspath(__file__)), sys.modules.pop(__name__)
        sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
        try:
            import sitecustomize  # noqa: F401
        except ImportError as missing:
            sys.modules[__name__] = this
            if getattr(missing, "name", __name__) != __name__:
                raise

        """#
}
