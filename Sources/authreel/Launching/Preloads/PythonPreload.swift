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
            proxies = getproxies()
            proxy = proxies.get(scheme) or proxies.get({"ws": "http", "wss": "https"}.get(scheme))
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
            Plain, Secure = module.HTTPConnectionPool, module.HTTPSConnectionPool
            connect, original = Plain._new_conn, Plain.urlopen
            for Pool in Plain, Secure:
                change_pool(Pool)

            # A pool for TLS makes a tunnel by itself; in clear the proxy is dialled, and told the whole address.
            def is_led(pool):
                return pool.scheme == "http" and pool.__dict__.get("_authreel")

            def _new_conn(self):
                connection = connect(self)
                if is_led(self):
                    connection.host, connection.port = self.proxy.host, self.proxy.port or 80
                return connection

            def urlopen(self, method, url, *arguments, **named):
                if is_led(self) and url.startswith("/"):
                    host = "[" + self.host + "]" if ":" in self.host else self.host
                    url = "http://" + host + (":%d" % self.port if self.port not in (None, 80) else "") + url
                return original(self, method, url, *arguments, **named)

            Plain._new_conn, Plain.urlopen = _new_conn, urlopen


        def change_pool(Pool):
            Connection, original = Pool.ConnectionCls, Pool.__init__

            def proxy_for(pool, host, named):
                # A pool of a kind of its own goes its own way; a manager for a proxy has said which.
                if type(pool) is not Pool or pool.ConnectionCls is not Connection or named.get("_proxy"):
                    return {}
                from urllib3.util import parse_url
                proxy = environment_proxy(pool.scheme, host.strip("[]"))
                parts = parse_url(proxy) if proxy else None
                if not parts or parts.scheme != "http":
                    return {}
                return {"_proxy": parts, "_proxy_headers": sign_in(proxy) or {}}

            def __init__(self, host, *arguments, **named):
                try:
                    way = proxy_for(self, host, named)
                except Exception:
                    way = {}
                original(self, host, *arguments, **dict(named, **way))
                self._authreel = bool(way)

            Pool.__init__ = __init__


        def change_aiohttp(module):
            Session, original, Direct = module.ClientSession, module.ClientSession._request, module.TCPConnector
            ways = "_create_connection", "_create_direct_connection", "_wrap_create_connection"

            def way_for(session, asked):
                connector = session._connector
                if getattr(session, "_default_proxy", None) or not isinstance(connector, Direct):
                    return None, asked
                # A connector that goes its own way, through SOCKS for instance.
                if any(getattr(type(connector), way) is not getattr(Direct, way) for way in ways):
                    return None, asked
                url = session._build_url(asked)
                # aiohttp itself looks for WS_PROXY and WSS_PROXY.
                if session._trust_env and url.scheme not in ("ws", "wss"):
                    return None, asked
                proxy = environment_proxy(url.scheme, url.host)
                if not proxy or url.scheme != "ws":
                    return proxy, asked
                # What is asked of a proxy without a tunnel is http.
                asked = url.with_scheme("http")
                session._build_url(asked)
                return proxy, asked

            def _request(self, method, str_or_url, **named):
                try:
                    if named.get("proxy") is None:
                        named["proxy"], str_or_url = way_for(self, str_or_url)
                except Exception:
                    pass
                return original(self, method, str_or_url, **named)

            Session._request = _request


        class Changes:
            """A finder that lets the others find a module and changes it as soon as it is loaded."""

            changes = {"ssl": change_ssl, "urllib3.connectionpool": change_urllib3, "aiohttp.client": change_aiohttp}

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
