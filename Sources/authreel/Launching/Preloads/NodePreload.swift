/// What Node loads first (`NODE_OPTIONS`): http, https, http2 and fetch go through the proxy, agents of a
/// program's own included.
enum NodePreload {
    static let text = #"""
        // Loaded by `authreel record -- CMD` for this run only: makes http, https, http2 and fetch go through the proxy
        // that HTTP_PROXY and HTTPS_PROXY name, by CONNECT. Node's own switch (NODE_USE_ENV_PROXY) came late, leaves out the agents
        // that a program makes itself, and gets in the way of libraries that read the variables. What is not understood here
        // is left as it was.
        'use strict'
        try {
          const fs = require('fs'), http = require('http'), https = require('https'), net = require('net'), tls = require('tls')
          const http2 = require('http2'), stream = require('stream'), { promisify } = require('util')
          const Module = require('module')
          const ask = http.request

          const bare = host => String(host).replace(/^\[|\]$/g, '')
          const failed = (code, message) => Object.assign(new Error(message), { code })
          const proxies = {}
          for (const scheme of ['http', 'https']) {
            const value = process.env[`${scheme}_proxy`] || process.env[`${scheme.toUpperCase()}_PROXY`]
            const url = value && new URL(value)
            if (!url || url.protocol !== 'http:') continue
            const password = url.username && `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
            proxies[scheme] = {
              host: bare(url.hostname), port: +url.port || 80,
              signIn: password ? { 'Proxy-Authorization': `Basic ${Buffer.from(password).toString('base64')}` } : {}
            }
          }
          // A library that reads the variables itself connects to the proxy: that connection is none to put through it.
          const isProxy = (host, port) => Object.values(proxies).some(one => one.host === bare(host) && one.port === +port)
          const proxyFor = (scheme, host, port) => isProxy(host, port) ? undefined : proxies[scheme]

          // A connection to the target through the proxy, to be used with or without TLS; `done` is called once.
          const tunnel = (proxy, host, port, timeout, done) => {
            const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
            const asked = ask({
              host: proxy.host, port: proxy.port, method: 'CONNECT', path: target, timeout,
              headers: { Host: target, ...proxy.signIn },
              createConnection: options => net.connect({ host: options.host, port: options.port, timeout })
            })
            let open = true
            const finish = (error, socket) => {
              if (open) {
                open = false
                done(error, socket)
              }
            }
            asked.on('error', finish)
            asked.on('timeout', () => asked.destroy(failed('ETIMEDOUT', `connect ETIMEDOUT ${target}`)))
            asked.on('connect', (answer, socket, head) => {
              socket.setTimeout(0)
              if (answer.statusCode !== 200) {
                socket.destroy()
                return finish(failed('ECONNREFUSED', `the proxy answered ${answer.statusCode} to CONNECT ${target}`))
              }
              if (head.length) socket.unshift(head)
              finish(null, socket.setNoDelay(true))
            })
            asked.end()
            return asked
          }

          // A socket that could not connect: with it an agent goes on to the requests that wait, which an error keeps it from.
          const dead = error => {
            const socket = new net.Socket()
            socket.connecting = true
            setImmediate(() => socket.on('error', () => {}).destroy(error))
            return socket
          }

          // A program's own list of authorities, and the proxy's.
          const besides = list => {
            try {
              return [].concat(list, fs.readFileSync(process.env.AUTHREEL_CA))
            } catch {
              return list
            }
          }

          // Agents: all call createConnection of their class, unless a program overrides it.
          const patch = (scheme, { prototype }, ready) => {
            const original = prototype.createConnection
            const createConnection = function (options, done) {
              const proxy = typeof done === 'function' && this && this.createConnection === createConnection &&
                this.sockets && !(this.options && this.options.proxyEnv) && options && options._agentKey && options.host &&
                !options.socketPath && !options.path && !options.socket && proxyFor(scheme, options.host, options.port)
              if (!proxy) return original.apply(this, arguments)
              // Until it is there the agent counts what stands for it, so that maxSockets holds and destroy() ends it.
              const name = options._agentKey, sockets = this.sockets
              const pending = tunnel(proxy, options.host, options.port, options.timeout, (error, socket) => {
                const place = (sockets[name] || []).indexOf(pending)
                if (place >= 0) {
                  sockets[name].splice(place, 1)
                  if (!sockets[name].length) delete sockets[name]
                  this.totalSocketCount--
                }
                let connection
                try {
                  connection = error || ready(this, original, options, socket)
                } catch (failure) {
                  socket.destroy()
                  connection = failure
                }
                done(null, connection instanceof Error ? dead(connection) : connection)
              })
              if (!sockets[name]) sockets[name] = []
              sockets[name].push(pending)
              this.totalSocketCount++
            }
            prototype.createConnection = createConnection
          }
          patch('https', https.Agent, (agent, original, options, socket) => original.call(agent, {
            ...options, socket, ...(options.ca && { ca: besides(options.ca) })
          }))
          patch('http', http.Agent, (agent, original, options, socket) => {
            if (options.timeout) socket.setTimeout(options.timeout)
            if (options.keepAlive) socket.setKeepAlive(true, options.keepAliveInitialDelay)
            return socket
          })

          // axios asks a proxy for https:// in the clear, and expects the proxy to do the TLS: that becomes a request by https.
          http.request = function request (options, done) {
            const clear = options && typeof options.path === 'string' && /^https:\/\//i.test(options.path) &&
              isProxy(options.hostname || options.host, options.port)
            if (!clear) return ask.apply(this, arguments)
            const { hostname, port, pathname, search } = new URL(options.path)
            const host = bare(hostname), agent = options.agents ? options.agents.https : undefined
            return https.request({
              ...options, protocol: 'https:', host, hostname: host, port: port || 443, path: pathname + search, agent
            }, done)
          }

          // A stream that is there at once, and is the tunnel as soon as that is open.
          const later = (proxy, host, port) => {
            let inner, waiting
            const once = action => {
              if (inner) action()
              else waiting = action
            }
            const pending = tunnel(proxy, host, port, 0, (error, socket) => {
              if (error) return outer.destroy(error)
              if (outer.destroyed) return socket.destroy()
              inner = socket
              socket.on('data', bytes => outer.push(bytes) || socket.pause())
              socket.on('end', () => outer.push(null))
              socket.on('error', error => outer.destroy(error))
              socket.on('close', () => outer.destroy())
              if (waiting) waiting()
            })
            const outer = new stream.Duplex({
              read: () => inner && inner.resume(),
              write: (bytes, _, done) => once(() => inner.write(bytes, done)),
              final: done => once(() => inner.end(done)),
              destroy: (error, done) => {
                (inner || pending).destroy()
                done(error)
              }
            })
            return outer
          }

          const parsed = authority => {
            try {
              return typeof authority === 'string' ? new URL(authority) : authority || {}
            } catch {
              return {}
            }
          }

          // http2: sessions of a program that does not make their connections itself.
          const session = http2.connect
          http2.connect = function connect (authority, options, listener) {
            if (typeof options === 'function') return connect.call(this, authority, undefined, options)
            const given = options || {}
            const named = parsed(authority)
            const scheme = String(named.protocol || given.protocol || 'https:').slice(0, -1)
            const host = bare(named.hostname || named.host || 'localhost')
            const port = +named.port || (named.protocol === 'http:' ? 80 : 443)
            const isOwn = ['createConnection', 'socket', 'path', 'socketPath'].some(name => given[name])
            const proxy = isOwn ? undefined : proxyFor(scheme, host, port)
            if (!proxy) return session.apply(this, arguments)
            const createConnection = () => {
              const socket = later(proxy, host, port)
              return scheme === 'http' ? socket : tls.connect({
                ...(net.isIP(host) ? {} : { servername: host }), ...given, socket, host, port,
                ...(given.ca && { ca: besides(given.ca) }), ALPNProtocols: given.allowHTTP1 ? ['h2', 'http/1.1'] : ['h2']
              })
            }
            return session.call(this, authority, { ...given, createConnection }, listener)
          }
          // Its listener gets the session and no error: util.promisify needs to be told how to wait for it.
          Object.defineProperty(http2.connect, promisify.custom, {
            value: (authority, options) => new Promise((resolve, reject) => {
              const opened = http2.connect(authority, options, () => resolve(opened.off('error', reject)))
              opened.once('error', reject)
            })
          })
          Module.syncBuiltinESMExports()

          // fetch: the connections of its dispatcher, which is there once its library is loaded; not of one that a program set.
          const connect = ({ hostname, port, protocol, servername, localAddress }, done) => {
            const scheme = protocol.slice(0, -1), host = bare(hostname), limit = 10000
            const target = { host, port: +port || (scheme === 'https' ? 443 : 80), localAddress }
            const proxy = proxyFor(scheme, host, target.port)
            const established = (event, socket) => {
              const fail = error => done(error)
              socket.setTimeout(limit, () => socket.destroy(failed('ETIMEDOUT', `connect ETIMEDOUT ${host}:${target.port}`)))
              socket.once('error', fail).once(event, () => {
                socket.removeListener('error', fail).setTimeout(0)
                socket.removeAllListeners('timeout')
                done(null, socket)
              })
            }
            const secured = socket => established('secureConnect', tls.connect({
              ...target, socket, servername: servername || (net.isIP(host) ? '' : host), ALPNProtocols: ['http/1.1']
            }))
            if (!proxy && scheme === 'https') return secured()
            if (!proxy) return established('connect', net.connect(target).setNoDelay(true))
            tunnel(proxy, host, target.port, limit, (error, socket) => {
              if (error || scheme === 'http') return done(error, socket)
              secured(socket)
            })
          }
          const prepare = () => {
            void globalThis.Headers
            for (const key of ['undici.globalDispatcher.2', 'undici.globalDispatcher.1'].map(name => Symbol.for(name))) {
              const dispatcher = globalThis[key]
              if (!dispatcher || dispatcher.constructor.name !== 'Agent') continue
              const symbol = Object.getOwnPropertySymbols(dispatcher).find(one => one.description === 'options')
              const options = dispatcher[symbol] || {}
              if (!options.connect) globalThis[key] = new dispatcher.constructor({ ...options, connect })
            }
          }
          // The package undici: what makes the connections of all its dispatchers.
          const ledConnector = build => function buildConnector (options) {
            const { ca, socketPath } = options || {}
            const original = build.call(this, ca ? { ...options, ca: besides(ca) } : options)
            return function connect (target, done) {
              const scheme = String(target.protocol).slice(0, -1), host = bare(target.hostname)
              const port = +target.port || (scheme === 'https' ? 443 : 80)
              const proxy = socketPath || target.httpSocket || typeof done !== 'function' ? undefined : proxyFor(scheme, host, port)
              if (!proxy) return original.apply(this, arguments)
              tunnel(proxy, host, port, 10000, (error, socket) => {
                if (error || scheme === 'http') return done(error, socket)
                original.call(this, { ...target, httpSocket: socket }, done)
              })
            }
          }
          // It is changed when it is looked for first: what loads modules stands in the stack of every program's errors.
          const resolve = Module._resolveFilename, led = new Set()
          Module._resolveFilename = function () {
            const path = resolve.apply(this, arguments)
            if (/[\\/]undici[\\/]lib[\\/]core[\\/]connect\.js$/.test(path) && !led.has(path)) {
              led.add(path)
              try {
                const build = require(path)
                if (typeof build === 'function') require.cache[path].exports = ledConnector(build)
              } catch {}
            }
            return path
          }

          const fetch = globalThis.fetch
          if (typeof fetch === 'function') {
            let prepared = false
            const value = {
              fetch (input, init = undefined) {
                try {
                  if (!prepared) prepare()
                } catch {}
                prepared = true
                return fetch.apply(this, arguments)
              }
            }.fetch
            Object.defineProperty(globalThis, 'fetch', { ...Object.getOwnPropertyDescriptor(globalThis, 'fetch'), value })
          }
        } catch {}

        """#
}
