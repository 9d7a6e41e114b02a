//! Calls: a generated week of a support agent with six tools, the same one every time.
//!
//! No model is asked. How often a name or an argument is wrong, and after how many refusals it is right, is put in: figures
//! published for a week of about 2 000 calls of such an agent (28 wrong names, 16 wrong arguments, no call that could not be
//! read; of the wrong names 24 were right at once, 3 after a second refusal and 1 never, in seven tries). What comes out is
//! what a host and its log make of that.

use serde_json::{Value, json};
use toolgate::{Asked, CallRecord, Host, Keep, Occasion, Turn};

/// Calls of the week.
pub(crate) const N_CALLS: usize = 2_000;

/// Milliseconds of a week.
const WEEK_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// The week begins on a Monday in 2026, in milliseconds since 1970.
const MONDAY_MS: u64 = 1_777_852_800_000;

/// One call: the tool's name and its arguments.
type Call = (&'static str, Value);

/// What one user wanted: turns of calls.
pub(crate) type Conversation = Vec<Vec<Call>>;

/// Wrong names, and the right ones.
const NAMES: [(&str, &str); 6] = [
    ("serch_orders", "search_orders"),
    ("get_stock", "stock_lookup"),
    ("functions.stock_lookup", "stock_lookup"),
    ("create_support_ticket", "create_ticket"),
    ("lookup_policies", "lookup_policy"),
    ("refund_order", "issue_refund"),
];

/// The two names that the run which never recovers goes to and fro between.
const HOPELESS: [&str; 2] = ["cancel_order", "order_cancel"];

/// SplitMix64: a sequence that is the same on every machine, for which nothing has to be installed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).rem_euclid(n)
    }

    fn one_of<T: Clone>(&mut self, of: &[T]) -> T {
        let n = u64::try_from(of.len()).expect("fits");
        of[usize::try_from(self.below(n)).expect("fits")].clone()
    }
}

/// The week, conversation by conversation.
pub(crate) fn week() -> Vec<Conversation> {
    let mut random = Random(20_260_504);
    let mut week: Vec<Conversation> = Vec::new();
    for nth in 0..27 {
        let (wrong, right) = NAMES[nth % NAMES.len()];
        let n_refused = if nth < 24 { 1 } else { 2 };
        let good = good_call_of(right, &mut random);
        let refused = vec![vec![(wrong, good.1.clone())]; n_refused];
        week.push(conversation(refused.into_iter().chain([vec![good]]).collect(), &mut random));
    }
    week.push((0..7).map(|nth| vec![(HOPELESS[nth % 2], json!({"order_id": "5531"}))]).collect());
    for nth in 0..16 {
        let (tool, wrong) = wrong_call(nth);
        let n_refused = if nth < 13 { 1 } else { 2 };
        let refused = vec![vec![(tool, wrong)]; n_refused];
        let good = vec![good_call_of(tool, &mut random)];
        week.push(conversation(refused.into_iter().chain([good]).collect(), &mut random));
    }
    fill_up(&mut week, &mut random);
    week
}

/// Conversations in which every call is in order, put between the others until the week is full.
fn fill_up(week: &mut Vec<Conversation>, random: &mut Random) {
    let mut n_missing = N_CALLS - week.iter().flatten().flatten().count();
    while n_missing > 0 {
        let mut good = conversation(Vec::new(), random);
        let mut n_good = good.iter().flatten().count();
        while n_good > n_missing {
            n_good -= good.pop().expect("there is a turn").len();
        }
        // What two calls at once would overshoot is asked for by single ones.
        while n_good < n_missing.min(2) {
            good.push(vec![good_call(random)]);
            n_good += 1;
        }
        n_missing -= n_good;
        let at = random.below(u64::try_from(week.len()).expect("fits"));
        week.insert(usize::try_from(at).expect("fits"), good);
    }
}

/// A few turns in order, what is given, and a few turns more.
fn conversation(middle: Conversation, random: &mut Random) -> Conversation {
    let before = good_turns(random);
    before.into_iter().chain(middle).chain(good_turns(random)).collect()
}

fn good_turns(random: &mut Random) -> Conversation {
    let turns = 1 + random.below(3);
    (0..turns).map(|_| (0..=random.below(4) / 3).map(|_| good_call(random)).collect()).collect()
}

fn good_call(random: &mut Random) -> Call {
    let tools = [
        "stock_lookup",
        "stock_lookup",
        "search_orders",
        "search_orders",
        "lookup_policy",
        "create_ticket",
        "delivery_estimate",
    ];
    let tool = if random.below(40) == 0 { "issue_refund" } else { random.one_of(&tools) };
    good_call_of(tool, random)
}

/// A call whose request is in order. Some come to no answer all the same: an article that lies nowhere, a carrier that counts
/// in hours, a customer that nobody knows.
fn good_call_of(tool: &'static str, random: &mut Random) -> Call {
    let arguments = match tool {
        "stock_lookup" => {
            let region = random.one_of(&["busan", "jeju", "seoul", "seoul", "busan"]);
            json!({"sku": random.one_of(&["KB-104", "MS-017", "KB-220"]), "region": region, "limit": 1 + random.below(2)})
        }
        "search_orders" => {
            let known = random.below(30) > 0;
            json!({"customer_id": if known { "cus_8812" } else { "cus_0000" }})
        }
        "lookup_policy" => json!({"topic": random.one_of(&["returns", "refunds", "shipping", "warranty"])}),
        "create_ticket" => {
            json!({"customer_id": "cus_8812", "subject": "Charged twice, then refunded", "priority": "high"})
        }
        "issue_refund" => json!({"order_id": "5531", "amount_cents": 1 + random.below(3)}),
        _ => json!({"order_id": random.one_of(&["5201", "5390", "5544", "5602", "5531"])}),
    };
    (tool, arguments)
}

fn wrong_call(nth: usize) -> Call {
    let wrong = [
        ("stock_lookup", json!({"sku_id": "KB-104", "region": "jeju", "limit": 1})),
        (
            "create_ticket",
            json!({"customer_id": "cus_8812", "subject": "Broken", "priority": "high", "assignee": "dana"}),
        ),
        ("stock_lookup", json!({"sku": "KB-104", "region": "jejju", "limit": 1})),
        ("search_orders", json!({"customerId": "cus_8812"})),
        ("create_ticket", json!({"customer_id": "cus_8812", "subject": "Broken", "priority": "critical"})),
        ("stock_lookup", json!({"sku": "KB-104", "region": "seoul", "limit": "2"})),
        ("issue_refund", json!({"order_id": "5531", "amount_cents": 0})),
        ("create_ticket", json!({"customer_id": "cus_8812", "subject": "Broken"})),
    ];
    wrong[nth % wrong.len()].clone()
}

/// Answers conversations with a host; gives back the log.
pub(crate) async fn answered(host: &Host, week: &[Conversation]) -> String {
    let n_turns = u64::try_from(week.iter().map(Vec::len).sum::<usize>()).expect("fits").max(1);
    let mut log = String::new();
    let mut nth_turn: u64 = 0;
    for (nth, conversation) in week.iter().enumerate() {
        for calls in conversation {
            let blocks = calls.iter().enumerate().map(|(at, (name, input))| {
                json!({"type": "tool_use", "id": format!("toolu_{nth_turn}_{at}"), "name": name, "input": input})
            });
            let message = json!({"role": "assistant", "content": blocks.collect::<Vec<_>>()});
            let turn = Turn::read(message.to_string().as_bytes(), None).expect("is a turn");
            let occasion = Occasion {
                time_ms: MONDAY_MS + WEEK_MS / n_turns * nth_turn,
                conversation: Some(format!("case-{nth}")),
                caller: None,
                turn: nth_turn.to_string(),
                refusal_bound: None,
            };
            let asked: Vec<Asked> = turn.calls.iter().map(|call| Asked::of(call, Keep::Digests)).collect();
            let answer = host.answer(turn).await;
            for (position, (reply, asked)) in answer.replies.iter().zip(&asked).enumerate() {
                log.push_str(&CallRecord::of(reply, host.tool(&reply.tool), asked, &occasion, position).line());
            }
            nth_turn += 1;
        }
    }
    log
}
