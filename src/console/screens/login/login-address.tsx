// `/login` is where links and single sign-on lead to. Somebody who is logged in goes on to the overview.
import { Navigate } from '@tanstack/react-router';

export default function LoginAddress() {
  return <Navigate to="/" replace />;
}
