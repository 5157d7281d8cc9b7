import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// Refusals in answers that say success by their status.
extension BearerRejectedTests {
    /// APIs that answer with 200 whatever happens: Slack, GraphQL servers, those that write the status into the JSON.
    @Test(arguments: [
        (#"{"ok":false,"error":"invalid_auth"}"#, true),
        (#"{"ok":false,"error":"channel_not_found"}"#, false),
        (#"{"error":"invalid_token"}"#, true), (#"{"error":"out_of_stock"}"#, false),
        (#"{"error":"invalid_token","error_description":"gone","status":200}"#, true),
        (#"{"error":"invalid_token","active":false}"#, false),
        (#"{"error":"invalid_token","orders":[1]}"#, false),
        (#"{"data":null,"errors":[{"message":"no","extensions":{"code":"UNAUTHENTICATED"}}]}"#, true),
        (#"{"data":null,"errors":[{"message":"no","extensions":{"code":"NOT_FOUND"}}]}"#, false),
        (#"{"code":401,"message":"token invalid","data":null}"#, true), (#"{"code":0,"data":{}}"#, false),
        (#"{"status":401,"data":{"orders":[{}]}}"#, false),
        (#"{"success":false,"code":"401","msg":"Token expired","traceId":"7f"}"#, true),
        (#"{"status":401,"errors":["Token expired"]}"#, true), (#"{"code":401}"#, false),
        (#"{"statusCode":401,"url":"https://shop.example/admin","message":"Unauthorized"}"#, false),
        (#"{"code":"401","title":"Room with a view"}"#, false),
        (#"{"data":{"me":null},"errors":[{"extensions":{"code":"UNAUTHENTICATED"}}]}"#, true),
        (#"{"data":{"a":1,"me":null},"errors":[{"extensions":{"code":"UNAUTHENTICATED"}}]}"#, false),
        (#"{"errors":[{"message":"no","extensions":{"path":"$","code":"invalid-jwt"}}]}"#, true),
        (#"{"errors":[{"message":"no","extensions":{"path":"$","code":"access-denied"}}]}"#, false),
        (#"{"success":false,"message":"The cart is empty"}"#, false),
    ])
    func readsARefusalThatSaysSuccess(body: String, fires: Bool) throws {
        let recording = try Recording(broken).editingLast("/orders") { exchange in
            exchange.response = RecordedResponse(
                status: 200,
                body: .json(body)
            )
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.finding(rule)?.places.first == (fires ? "6 response.body " : nil))
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Snowflake's drivers bring the token in the JSON that begins a session, and are refused in JSON.
    @Test(arguments: [
        ("OAUTH", #"{"code":"390303","message":"Invalid OAuth access token.","success":false}"#, true),
        (
            "OAUTH",
            #"{"code":"390309","message":"The user differs from the user tied to the access token.","success":false}"#,
            true
        ),
        ("OAUTH", #"{"code":"390312","message":"The warehouse is suspended.","success":false}"#, false),
        ("OAUTH", #"{"code":null,"data":{"token":"ver:1"},"success":true}"#, false),
        ("SNOWFLAKE", #"{"code":"390100","message":"Incorrect username","success":false}"#, false),
    ])
    func readsTheSessionsOfSnowflake(authenticator: String, body: String, fires: Bool) throws {
        var recording = try Recording(broken)
        let header = try #require(recording.exchanges[6].request.headers.first("authorization"))
        let token = header.dropFirst("Bearer ".count)
        recording.exchanges[6].request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://acme.snowflakecomputing.com/session/v1/login-request?request_id=1"),
            headers: HeaderFields([("Authorization", #"Snowflake Token="None""#)])
        )
        recording.exchanges[6].request.body = .json(
            #"{"data":{"LOGIN_NAME":"ANN","AUTHENTICATOR":"\#(authenticator)","TOKEN":"\#(token)"}}"#
        )
        recording.exchanges[6].response = RecordedResponse(
            status: 200,
            body: .json(body)
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }
}
