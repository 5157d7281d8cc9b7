import Testing

/// One small login request as each producer writes it, secrets invented.
struct ProducerSample: CustomTestStringConvertible, Sendable {
    var name: String
    /// One entry of `log.entries`.
    var entry: String

    var testDescription: String { name }

    var har: String {
        #"{"log":{"version":"1.2","creator":{"name":"\#(name)","version":"1"},"pages":[{"id":"page_1","title":"t","startedDateTime":"2026-03-04T09:54:08.356Z","pageTimings":{}}],"comment":"c","entries":[\#(entry)]}}"#
    }

    static let all: [ProducerSample] = [
        ProducerSample(
            name: "WebInspector",
            entry: #"""
                {"_connectionId":"66","_initiator":{"type":"other"},"_priority":"VeryHigh","_resourceType":"document",
                "cache":{},"connection":"443","pageref":"page_1","request":{"method":"POST","url":"https://idp.example/token?x=1",
                "httpVersion":"h2","headers":[{"name":":authority","value":"idp.example"},{"name":"cookie","value":"sid=s1"}],
                "queryString":[{"name":"x","value":"1"}],"cookies":[{"name":"sid","value":"s1","path":"/","domain":"idp.example",
                "expires":"2026-04-04T09:54:08.356Z","httpOnly":true,"secure":true,"sameSite":"Lax"}],"headersSize":-1,"bodySize":9,
                "postData":{"mimeType":"application/x-www-form-urlencoded","text":"code=abcd","params":[{"name":"code","value":"abcd"}]}},
                "response":{"status":200,"statusText":"","httpVersion":"h2","headers":[{"name":"content-type","value":"application/json"}],
                "cookies":[],"content":{"size":2,"mimeType":"application/json","text":"e30=","encoding":"base64"},"redirectURL":"",
                "headersSize":-1,"bodySize":-1,"_transferSize":305,"_error":null,"_fetchedViaServiceWorker":false},
                "serverIPAddress":"[2001:db8::1]","startedDateTime":"2026-03-04T09:54:08.356Z","time":12.5,
                "timings":{"blocked":1.5,"dns":-1,"ssl":-1,"connect":-1,"send":1,"wait":9,"receive":1,"_blocked_queueing":0.5}}
                """#
        ),
        ProducerSample(
            name: "Firefox",
            entry: #"""
                {"startedDateTime":"2026-03-04T10:54:08.356+01:00","request":{"bodySize":9,"method":"POST","url":"https://idp.example/token",
                "httpVersion":"HTTP/2","headers":[{"name":"Host","value":"idp.example"}],"cookies":[],"queryString":[],"headersSize":512,
                "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"code","value":"abcd"}],"text":"code=abcd"}},
                "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2","headers":[],"cookies":[{"name":"a","value":"1","httpOnly":true}],
                "content":{"mimeType":"application/json","size":2,"text":"{}","comment":"whole"},"redirectURL":"","headersSize":210,"bodySize":212},
                "cache":{},"timings":{"blocked":0,"dns":0,"connect":0,"ssl":0,"send":0,"wait":30,"receive":0},"time":30,
                "_securityState":"secure","serverIPAddress":"192.0.2.1","connection":"443","pageref":"page_1"}
                """#
        ),
        ProducerSample(
            name: "WebKit Web Inspector",
            entry: #"""
                {"pageref":"page_0","startedDateTime":"2026-03-04T09:54:08.356Z","time":30.25,"request":{"method":"POST",
                "url":"https://idp.example/token","httpVersion":"HTTP/2","cookies":[],"headers":[],"queryString":[],"headersSize":120,
                "bodySize":9,"postData":{"mimeType":"application/x-www-form-urlencoded","text":"code=abcd"}},
                "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/2","cookies":[],"headers":[],"content":{"size":2,"compression":0,
                "mimeType":"application/json","text":"{}"},"redirectURL":"","headersSize":90,"bodySize":2,"_transferSize":92},"cache":{},
                "timings":{"blocked":1,"dns":-1,"connect":-1,"ssl":-1,"send":1,"wait":20,"receive":1},"serverIPAddress":"192.0.2.1",
                "_serverPort":443,"connection":"7","_fetchType":"Network Load","_priority":"high"}
                """#
        ),
        ProducerSample(
            name: "Charles Proxy",
            entry: #"""
                {"startedDateTime":"2026-03-04T10:54:08.356+01:00","time":30,"request":{"method":"POST","url":"https://idp.example/token",
                "httpVersion":"HTTP/2.0","cookies":[],"headers":[{"name":":method","value":"POST"}],"queryString":[],
                "postData":{"mimeType":"application/json; charset=utf-8","params":[{"name":"{\"code\":\"ab","value":"cd\"}"}]},
                "headersSize":14,"bodySize":44},"response":{"_charlesStatus":"COMPLETE","status":200,"statusText":null,"httpVersion":"HTTP/2.0",
                "cookies":[],"headers":[],"content":{"size":2,"mimeType":"application/json","text":"e30=","encoding":"base64"},
                "redirectURL":null,"headersSize":0,"bodySize":2},"serverIPAddress":"192.0.2.1","cache":{},
                "timings":{"connect":5,"ssl":4,"send":1,"dns":1,"wait":20,"receive":3}}
                """#
        ),
        ProducerSample(
            name: "Fiddler",
            entry: #"""
                {"startedDateTime":"2026-03-04T10:54:08.3561234+01:00","connection":"ClientPort:50123;EgressPort:50124","time":30,
                "request":{"method":"POST","url":"https://idp.example/token","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
                "queryString":[],"headersSize":200,"bodySize":9,"postData":{"mimeType":"application/x-www-form-urlencoded",
                "params":[{"name":"code","value":"abcd"}]}},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1",
                "cookies":[],"headers":[],"redirectURL":"","headersSize":100,"bodySize":2,"content":{"size":2,"compression":0,
                "mimeType":"application/json","text":"{}"}},"cache":{},"comment":"[#12]",
                "timings":{"blocked":-1,"dns":0,"connect":0,"ssl":-1,"send":0,"wait":30,"receive":0}}
                """#
        ),
        ProducerSample(
            name: "HTTP Toolkit",
            entry: #"""
                {"startedDateTime":"2026-03-04T09:54:08.356Z","time":30,"request":{"method":"POST","url":"https://idp.example/token",
                "httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"content-type","value":"application/octet-stream"}],"queryString":[],
                "headersSize":-1,"bodySize":4,"_requestBodyStatus":"discarded:not-representable","_content":{"text":"//4AAQ==","size":4,
                "encoding":"base64"}},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
                "content":{"mimeType":"application/json","size":2,"text":"{}"},"redirectURL":"","headersSize":-1,"bodySize":2,"comment":""},
                "cache":{},"timings":{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":1,"wait":20,"receive":3},"_pinned":true}
                """#
        ),
        ProducerSample(
            name: "Playwright",
            entry: #"""
                {"pageref":"page@1","_frameref":"frame@1","_monotonicTime":123.5,"startedDateTime":"2026-03-04T09:54:08.356Z","time":-1,
                "request":{"method":"GET","url":"https://idp.example/","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],
                "headersSize":-1,"bodySize":0},"response":{"status":-1,"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[],
                "content":{"size":-1,"mimeType":"x-unknown"},"headersSize":-1,"bodySize":-1,"redirectURL":"","_transferSize":-1,
                "_failureText":"net::ERR_CONNECTION_REFUSED"},"cache":{},"timings":{"send":-1,"wait":-1,"receive":-1}}
                """#
        ),
        ProducerSample(
            name: "Slack",
            entry: #"""
                {"startedDateTime":1772618048.356,"time":"30","request":{"method":"POST","url":"https://idp.example/token",
                "headers":[["content-type","application/x-www-form-urlencoded"],["cookie","sid=s1"]],"postData":"code=abcd"},
                "response":{"status":"200","headers":{"content-type":"application/json","set-cookie":["a=1","b=2"]},"content":"{}"}}
                """#
        ),
        ProducerSample(
            name: "k6",
            entry: #"""
                {"startedDateTime":"2026-03-04 09:54:08 +0000","time":30,"request":{"method":"POST","url":"https://idp.example/token",
                "headers":[],"postData":{"mimeType":"application/x-www-form-urlencoded","text":"Y29kZT1hYmNk","_encoding":"base64"}},
                "response":{"status":200,"statusText":"OK","headers":[],"content":{"size":2,"comment":"{}"}}}
                """#
        ),
    ]
}
